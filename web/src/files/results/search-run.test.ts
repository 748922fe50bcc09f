import { expect, test } from 'bun:test'
import type { Delta } from '../../server/operations/deltas.ts'
import type { Entry } from '../../server/queries/resources.ts'

const location = new URL('http://server/files/')
Object.assign(globalThis, {
  window: Object.assign(new EventTarget(), { location }),
  history: { replaceState() {} },
  addEventListener() {},
  localStorage: { getItem: () => null, setItem: () => {}, removeItem: () => {} },
  matchMedia: () => new EventTarget(),
})
const { SearchRun } = await import('./search-run.ts')

const line = (path: string, isDir = false) =>
  JSON.stringify({
    path,
    dir: isDir,
    isDir,
    size: 1,
    modified: '2026-01-01T00:00:00Z',
    mode: 0,
    isSymlink: false,
    type: '',
  })
const entry = (path: string): Entry => ({
  ...JSON.parse(line(path)),
  path,
  name: path.slice(path.lastIndexOf('/') + 1),
  extension: '',
})

async function found(...lines: string[]) {
  globalThis.fetch = Object.assign(async () => new Response(lines.join('\n')), { preconnect: () => {} })
  const run = new SearchRun('/Trips', 'harz')
  await run.start()
  const names = () => run.results.get().entries.map(({ name }) => name)
  return { run, names }
}

const moved = (from: string, to: string): Delta[] => [
  { kind: 'gone', path: from },
  { kind: 'put', entry: entry(to) },
]

test('the closest match comes first, under its path below the folder that was searched', async () => {
  const { run, names } = await found(line('a/b/harz.txt'), line('a/my harz.txt'), line('harz.txt'))
  expect(names()).toEqual(['harz.txt', 'a/b/harz.txt', 'a/my harz.txt'])
  expect(run.results.get()).toMatchObject({ status: 'done', error: null })
  expect(run.results.get().entries[1]?.path).toBe('/Trips/a/b/harz.txt')
})

test('what is found at first is there while the rest of a long search is silent', async () => {
  const body = new ReadableStream({
    start: (answer) => answer.enqueue(new TextEncoder().encode(`${line('harz.txt')}\n`)),
  })
  globalThis.fetch = Object.assign(async () => new Response(body), { preconnect: () => {} })
  const run = new SearchRun('/Trips', 'harz')
  const isThere = new Promise<void>((resolve) => {
    run.results.subscribe(() => run.results.get().entries.length === 1 && resolve())
  })
  void run.start()
  await isThere
  expect(run.results.get().status).toBe('running')
})

test('what is renamed keeps its place, also where the server refuses and it is taken back', async () => {
  const { run, names } = await found(line('harz.txt'), line('x/harz.txt'), line('y/harz.txt'))
  const reverse = run.patch(moved('/Trips/x/harz.txt', '/Trips/x/brocken.txt'))
  expect(names()).toEqual(['harz.txt', 'x/brocken.txt', 'y/harz.txt'])
  // The runner tells it once more when the server has made the change.
  run.patch(moved('/Trips/x/harz.txt', '/Trips/x/brocken.txt'))
  expect(names()).toEqual(['harz.txt', 'x/brocken.txt', 'y/harz.txt'])

  run.patch(reverse)
  expect(names()).toEqual(['harz.txt', 'x/harz.txt', 'y/harz.txt'])
})

test('what is deleted goes with all that was found below it, and comes back to its place', async () => {
  const { run, names } = await found(line('harz', true), line('harz/harz.txt'), line('z harz.txt'))
  const reverse = run.patch([{ kind: 'gone', path: '/Trips/harz' }])
  expect(names()).toEqual(['z harz.txt'])
  run.patch(reverse)
  expect(names()).toEqual(['harz', 'harz/harz.txt', 'z harz.txt'])
})

test('what is moved out of the folder that was searched is no result any more; what is moved inside of it follows', async () => {
  const { run, names } = await found(line('harz', true), line('harz/harz.txt'), line('z harz.txt'))
  run.patch([...moved('/Trips/harz', '/Trips/old/harz'), ...moved('/Trips/z harz.txt', '/z harz.txt')])
  expect(names()).toEqual(['old/harz', 'old/harz/harz.txt'])
})
