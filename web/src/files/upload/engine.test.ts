import { afterEach, expect, test } from 'bun:test'
import { FakeRequest, forgetRequests, pendingRequests, request } from './fake-request.test-setup.ts'
import type { FileJob } from './queue.ts'

const page = new EventTarget()
const empty = { getItem: () => null, setItem: () => {}, removeItem: () => {} }

/** The signals of the questions to the server that are no uploads. */
let asked: AbortSignal[] = []
/** What is done every second. */
let ticks: (() => void)[] = []
const setInterval = globalThis.setInterval

Object.assign(globalThis, {
  setInterval: (run: () => void, time: number) => (time === 1000 ? ticks.push(run) : setInterval(run, time)),
  window: page,
  addEventListener: page.addEventListener.bind(page),
  removeEventListener: page.removeEventListener.bind(page),
  localStorage: { ...empty },
  sessionStorage: { ...empty },
  XMLHttpRequest: FakeRequest,
  fetch: async (_: string, { signal }: RequestInit) => {
    asked.push(signal as AbortSignal)
    return Response.json([])
  },
})
const { uploads } = await import('./engine.ts')
const { cache } = await import('../../server/queries/cache.ts')
const { resourceKey } = await import('../../server/queries/resources.ts')
const { endScope } = await import('../../state/session-scope.ts')
const { unfinished } = await import('../../state/work.ts')
const { enterFolder } = await import('../../workspace/workspace.ts')
const { shownToasts } = await import('../../ui/toasts.ts')

afterEach(() => {
  endScope('cut-off')
  forgetRequests()
  asked = []
  ticks = []
})

const size = 400 * 1024

const job = (name: string): FileJob => ({
  kind: 'file',
  id: name,
  path: `/${name}`,
  name,
  into: '/',
  size,
  file: new File([new Uint8Array(size)], name, { lastModified: 1 }),
  override: false,
  url: null,
  handle: null,
  kept: null,
})

const stateOf = (name: string) => uploads().find(name)?.state.status

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await Bun.sleep(1)
}

test('a pause stops requests and keeps what has arrived; resuming asks the server how much that is', async () => {
  uploads().add([job('a.bin')])
  ;(await request('POST', 'a.bin')).answer(201)
  const patch = await request('PATCH', 'a.bin')
  uploads().pause()
  await until(() => patch.isAborted)
  expect([stateOf('a.bin'), uploads().view.get().isPaused]).toEqual(['queued', true])
  expect(await unfinished()).toEqual(['Uploading 1 file'])

  uploads().resume()
  ;(await request('HEAD', 'a.bin')).answer(200, { 'Upload-Offset': size, 'Upload-Length': size })
  await until(() => stateOf('a.bin') === 'done')
  expect(await unfinished()).toEqual([])
})

test('all that failed is retried together', async () => {
  uploads().add([job('a.bin'), job('b.bin')])
  for (const name of ['a.bin', 'b.bin']) (await request('POST', name)).answer(403)
  await until(() => uploads().view.get().totals.counts.failed === 2)

  await uploads().retry()
  for (const name of ['a.bin', 'b.bin']) {
    ;(await request('HEAD', name)).answer(200, { 'Upload-Offset': size, 'Upload-Length': size })
    await until(() => stateOf(name) === 'done')
  }
})

test('the end of a session stops its uploads, and the next one begins without any', async () => {
  const own = uploads()
  own.add([job('a.bin')])
  ;(await request('POST', 'a.bin')).answer(201)
  const patch = await request('PATCH', 'a.bin')
  endScope('signed-out')
  await until(() => patch.isAborted)
  expect([own.view.get().size, uploads().view.get().size, uploads() === own]).toEqual([0, 0, false])
  expect([pendingRequests().length, shownToasts()]).toEqual([0, []])
})

test('an upload in which everything is skipped says so', () => {
  uploads().add([], [job('a.bin')])
  expect(shownToasts().map(({ text }) => text)).toEqual(['Nothing to upload. Everything is already here.'])
})

test('an aborted run reports once, and what is added afterwards is a run of its own', async () => {
  uploads().add([job('a.bin')])
  ;(await request('POST', 'a.bin')).answer(201)
  await request('PATCH', 'a.bin')
  const aborting = uploads().abort()
  uploads().add([job('b.bin')])
  ;(await request('DELETE', 'a.bin')).answer(204)
  await aborting
  await until(() => uploads().view.get().isBusy)
  expect(stateOf('b.bin')).toBe('uploading')
  expect(await unfinished()).toEqual(['Uploading 1 file'])
})

test('at the end of a run a late part of what has arrived is not shown before the whole', async () => {
  cache().setQueryData(resourceKey('/'), { isDir: true, path: '/', name: '', items: [] })
  enterFolder('/', [])
  uploads().add([job('a.bin'), job('b.bin')])
  for (const name of ['a.bin', 'b.bin']) (await request('POST', name)).answer(201)
  ;(await request('PATCH', 'a.bin')).answer(204, { 'Upload-Offset': size })
  await until(() => stateOf('a.bin') === 'done')
  for (let seconds = 0; seconds < 10; seconds += 1) for (const tick of ticks) tick()
  expect(asked.map(({ aborted }) => aborted)).toEqual([false])

  ;(await request('PATCH', 'b.bin')).answer(204, { 'Upload-Offset': size })
  await until(() => asked.length > 1)
  expect(asked.map(({ aborted }) => aborted)).toEqual([true, false])
})
