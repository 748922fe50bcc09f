import { beforeEach, expect, test } from 'bun:test'
import { QueryObserver } from '@tanstack/react-query'
import type { Entry, Folder } from '../queries/resources.ts'

const storage = { getItem: () => null, setItem() {}, removeItem() {} }
Object.assign(globalThis, { window: new EventTarget(), localStorage: storage, sessionStorage: storage })
const { endScope, sessionSignal } = await import('../../state/session-scope.ts')
const { cache } = await import('../queries/cache.ts')
const { resourceKey } = await import('../queries/resources.ts')
const { conclude, run, showNow, whenSent } = await import('./operation.ts')
const { copying, moving, removing, renaming } = await import('./files.ts')
const { lastChange, putBack, rememberChange, takeChange } = await import('./undo-stack.ts')

/** The entries that the server has, by path, and what it was asked for. */
const onServer = new Map<string, Entry>()
let asked: string[] = []
/** Under which id each change was asked for. */
let batches: (string | null)[] = []
/** Answers the next PATCH or DELETE; refuses with this status where it is not 200. */
let answer = Promise.resolve(200)

globalThis.fetch = Object.assign(
  async (address: string | URL | Request, init?: RequestInit) => {
    const { pathname, searchParams } = new URL(String(address), 'http://server')
    const path = decodeURIComponent(pathname.replace(/^\/api\/\w+/, ''))
    asked.push(`${init?.method} ${pathname}`)
    if (init?.method === 'PATCH') batches.push(new Headers(init.headers).get('Filestead-Operation'))
    if (init?.method === 'POST') {
      const { names } = JSON.parse(String(init.body))
      const found = names.flatMap((name: string) => onServer.get(`${path === '/' ? '' : path}/${name}`) ?? [])
      return Response.json(found)
    }
    if (init?.method === 'GET') return new Response('[]')
    const status = await answer
    if (status !== 200) return new Response('', { status })
    const entry = onServer.get(path)
    const to = decodeURIComponent(searchParams.get('destination') ?? '')
    if (searchParams.get('action') !== 'copy') onServer.delete(path)
    if (to !== '' && entry !== undefined) onServer.set(to, entryAt(to, entry))
    return new Response('', { headers: { 'X-Destination': encodeURI(to) } })
  },
  { preconnect: () => {} },
)
const entryAt = (path: string, facts: Partial<Entry> = {}): Entry => ({
  size: 1,
  modified: '2026-01-01T00:00:00Z',
  mode: 0o644,
  isDir: false,
  isSymlink: false,
  type: 'text',
  ...facts,
  path,
  name: path.slice(path.lastIndexOf('/') + 1),
  extension: '.txt',
})

function list(...names: string[]): Entry[] {
  const items = names.map((name) => entryAt(`/${name}`))
  for (const entry of items) onServer.set(entry.path, entry)
  const folder = { ...entryAt('/', { isDir: true }), items, numDirs: 0, numFiles: items.length }
  cache().setQueryData(resourceKey('/'), { ...folder, sorting: { by: 'name', asc: false } } as Folder)
  return items
}

const shown = (): string[] =>
  (cache().getQueryData<Folder>(resourceKey('/'))?.items ?? []).map(({ name }: Entry) => name)

/** Everything that was begun has ended. */
const settled = async () => {
  await whenSent()
  await Bun.sleep(0)
  await Bun.sleep(0)
}

beforeEach(() => {
  endScope('cut-off')
  onServer.clear()
  asked = []
  batches = []
  answer = Promise.resolve(200)
})

test('a rename shows before the server has answered, and reads no listing', async () => {
  const [a] = list('a.txt', 'c.txt') as [Entry]
  const change = run('rename', renaming(a, 'd.txt'), sessionSignal())
  expect(shown()).toEqual(['c.txt', 'd.txt'])
  expect((await change)?.names).toEqual(['a.txt'])
  await settled()
  expect(shown()).toEqual(['c.txt', 'd.txt'])
  expect(asked.filter((request) => request.startsWith('GET'))).toEqual([])
})

test('a rename that is refused is taken back, and the listing learns what the server has', async () => {
  const [a] = list('a.txt', 'c.txt') as [Entry]
  onServer.set('/d.txt', entryAt('/d.txt', { size: 7 }))
  answer = Promise.resolve(409)
  await expect(run('rename', renaming(a, 'd.txt'), sessionSignal())).rejects.toThrow()
  await settled()
  expect(shown()).toEqual(['a.txt', 'c.txt', 'd.txt'])
  expect(cache().getQueryData<Folder>(resourceKey('/'))?.items.at(-1)?.size).toBe(7)
  expect(lastChange()).toBeUndefined()
})

test('a second change of an entry is sent when the first one is made', async () => {
  const [a] = list('a.txt') as [Entry]
  let letGo = (_status: number) => {}
  answer = new Promise((resolve) => {
    letGo = resolve
  })
  const first = run('rename', renaming(a, 'b.txt'), sessionSignal())
  const second = run('rename', renaming(entryAt('/b.txt'), 'c.txt'), sessionSignal())
  await Bun.sleep(0)
  expect(shown()).toEqual(['c.txt'])
  expect(asked.filter((request) => request.startsWith('PATCH'))).toHaveLength(1)
  letGo(200)
  await Promise.all([first, second])
  expect([...onServer.keys()]).toEqual(['/c.txt'])
})

test('a listing that was asked for before a change and arrives after it does not take the change back', async () => {
  const [a] = list('a.txt') as [Entry]
  const before = cache().getQueryData<Folder>(resourceKey('/'))
  let arrive = () => {}
  const late = new Promise<void>((resolve) => {
    arrive = resolve
  })
  const fetching = cache().fetchQuery({ queryKey: resourceKey('/'), queryFn: () => late.then(() => before) })
  await run('rename', renaming(a, 'b.txt'), sessionSignal())
  arrive()
  await fetching
  await settled()
  expect(shown()).toEqual(['b.txt'])
})

test('a listing on its way is waited for and not begun anew, however many entries have come meanwhile', async () => {
  list('a.txt')
  const known = cache().getQueryData(resourceKey('/'))
  const { promise, resolve } = Promise.withResolvers<unknown>()
  let reads = 0
  const reading = cache().fetchQuery({
    queryKey: resourceKey('/'),
    queryFn({ signal }) {
      reads += 1
      signal.throwIfAborted()
      return promise
    },
  })
  const names = Array.from({ length: 3000 }, (_, index) => `${index}.txt`)
  const shown = showNow('/', names, sessionSignal())
  resolve(known)
  await Promise.all([reading, shown])
  expect([reads, asked]).toEqual([1, []])
})

test('a change of a session that has ended is neither shown nor remembered', async () => {
  const [a] = list('a.txt') as [Entry]
  const signal = sessionSignal()
  endScope('cut-off')
  list('a.txt')
  expect(conclude('delete', [removing(a)], signal)).toBeNull()
  expect(shown()).toEqual(['a.txt'])
})

test('the disk usage is asked for again after a delete, a move and a copy', async () => {
  for (const kind of ['delete', 'move', 'copy'] as const) {
    const [a] = list('a.txt') as [Entry]
    cache().setQueryData(['usage', '/'], { used: 1, total: 2 })
    const operation = { delete: removing(a), move: moving(a, '/box/a.txt'), copy: copying(a, '/box/a.txt') }[kind]
    conclude(kind, [operation], sessionSignal())
    expect(cache().getQueryState(['usage', '/'])?.isInvalidated).toBe(true)
  }
})

test('a change in a folder is shown in the row of that folder while the row is in view', async () => {
  list('Box')
  const [box, other] = [entryAt('/Box', { isDir: true }), entryAt('/Box/a')]
  onServer.set('/Box', { ...box, modified: '2026-02-02T00:00:00Z' })
  const timeOfBox = () => cache().getQueryData<Folder>(resourceKey('/'))?.items[0]?.modified

  conclude('delete', [removing(other)], sessionSignal())
  await settled()
  expect(asked).toEqual([])

  const inView = new QueryObserver(cache(), { queryKey: resourceKey('/'), staleTime: Number.POSITIVE_INFINITY })
  const leave = inView.subscribe(() => {})
  conclude('delete', [removing(other)], sessionSignal())
  await settled()
  expect(timeOfBox()).toBe('2026-02-02T00:00:00Z')

  onServer.set('/Box', { ...box, modified: '2026-03-03T00:00:00Z' })
  await showNow('/Box', ['a'], sessionSignal())
  await settled()
  expect(timeOfBox()).toBe('2026-03-03T00:00:00Z')
  leave()
})

test('a change is undone once, by the id that it was sent with', async () => {
  const [a] = list('a.txt') as [Entry]
  const change = await run('rename', renaming(a, 'b.txt'), sessionSignal())
  expect(batches).toEqual([...(change?.batches ?? [])])
  expect(batches[0]).toMatch(/^[0-9a-f]{32}$/)
  expect([change?.gone, change?.put]).toEqual([['/a.txt'], ['/b.txt']])
  expect(change).toBe(lastChange() ?? null)
  expect([change && takeChange(change), change && takeChange(change)]).toEqual([true, false])
})

test('what was taken back can be done again until something else is done', () => {
  const facts = { kind: 'move', names: ['a'], gone: [], put: [] } as const
  putBack('redo', { ...facts, batches: ['undo-of-1'] })
  expect(lastChange('redo')?.batches).toEqual(['undo-of-1'])
  expect(rememberChange({ ...facts, batches: [] })).toBeNull()
  expect(lastChange('redo')).toBeDefined()
  rememberChange({ ...facts, batches: ['2'] })
  expect([lastChange('redo'), lastChange()?.batches]).toEqual([undefined, ['2']])
})
