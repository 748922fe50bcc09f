import { afterEach, expect, test } from 'bun:test'
import type { Entry } from '../../server/queries/resources.ts'
import {
  FakeRequest,
  forgetRequests,
  job,
  pendingRequests,
  request,
  size,
  smallJob,
  until,
} from './uploads.test-setup.ts'

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
const { enterFolder, workspace } = await import('../../workspace/workspace.ts')
const { shownToasts } = await import('../../ui/toasts.ts')

afterEach(() => {
  endScope('cut-off')
  forgetRequests()
  asked = []
  ticks = []
})

const stateOf = (name: string) => uploads().find(name)?.state.status

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
  expect(shownToasts().map(({ text }) => text)).toEqual(['1 file was already here. Nothing was uploaded.'])
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

test('what has arrived is listed a second later, selected by nothing; at the end a late part gives way to the whole', async () => {
  cache().setQueryData(resourceKey('/'), { isDir: true, path: '/', name: '', items: [] })
  enterFolder('/', [])
  uploads().add([job('a.bin'), job('b.bin')])
  for (const name of ['a.bin', 'b.bin']) (await request('POST', name)).answer(201)
  ;(await request('PATCH', 'a.bin')).answer(204, { 'Upload-Offset': size })
  await until(() => stateOf('a.bin') === 'done')
  for (const tick of ticks) tick()
  // The answer has not come: the next part waits for it.
  for (const tick of ticks) tick()
  expect(asked.map(({ aborted }) => aborted)).toEqual([false])

  ;(await request('PATCH', 'b.bin')).answer(204, { 'Upload-Offset': size })
  await until(() => asked.length > 1)
  expect(asked.map(({ aborted }) => aborted)).toEqual([true, false])
  enterFolder(
    '/',
    ['a.bin', 'b.bin'].map((name) => ({ name, path: `/${name}` }) as Entry),
  )
  expect(workspace().selection.names.size).toBe(0)
})

test('the toast about failures tries again, and goes when they are tried again elsewhere', async () => {
  uploads().add([job('a.bin')])
  ;(await request('POST', 'a.bin')).answer(403)
  await until(() => shownToasts().length === 1)
  const [toast] = shownToasts()
  expect([toast?.kind, toast?.action?.label]).toEqual(['error', 'Try again'])
  toast?.action?.run()
  ;(await request('HEAD', 'a.bin')).answer(200, { 'Upload-Offset': size, 'Upload-Length': size })
  await until(() => stateOf('a.bin') === 'done')
  expect(shownToasts().map(({ text }) => text)).toEqual(['1 file uploaded'])
})

const outcomes = (...of: { path: string; status: number }[]): string => of.map((one) => JSON.stringify(one)).join('\n')
const whole = { 'Upload-Offset': 5, 'Upload-Length': 5 }

test('small files that wait together are one request, with the head and the bytes of each', async () => {
  uploads().add([smallJob('a'), smallJob('b'), job('large.bin')])
  await request('POST', 'large.bin')
  const batch = await request('POST', '/api/uploads')
  const metadata = `mtime ${btoa(new Date(1).toISOString())}`
  const head = (path: string) => JSON.stringify({ path, length: 5, override: false, metadata })
  expect(await batch.body?.text()).toBe(`${head('/a')}\nhello${head('/b')}\nhello`)
  batch.answer(200, {}, outcomes({ path: '/b', status: 201 }, { path: '/a', status: 201 }))
  await until(() => stateOf('a') === 'done' && stateOf('b') === 'done')
  expect(pendingRequests().map(({ address }) => address)).toEqual([expect.stringContaining('large.bin')])
})

test('one small file is a request of its own', async () => {
  uploads().add([smallJob('a')])
  ;(await request('POST', '/api/tus/a')).answer(201, whole)
  await until(() => stateOf('a') === 'done')
})

test('a file that the server refuses in a batch is sent alone, which tells why', async () => {
  uploads().add([smallJob('a'), smallJob('b')])
  const answer = outcomes({ path: '/a', status: 409 }, { path: '/b', status: 201 })
  ;(await request('POST', '/api/uploads')).answer(200, {}, answer)
  ;(await request('POST', '/api/tus/a')).answer(409)
  await until(() => stateOf('a') === 'failed')
  expect([uploads().find('a')?.state, stateOf('b')]).toMatchObject([{ isNameTaken: true }, 'done'])
})

test('a file whose name is taken in a letter box is put there under the next free number', async () => {
  cache().setQueryData(resourceKey('/'), { can: ['create'] })
  uploads().add([smallJob('a.txt')])
  ;(await request('POST', '/api/tus/a.txt')).answer(409)
  ;(await request('POST', '/api/tus/a(1).txt')).answer(409)
  ;(await request('POST', '/api/tus/a(2).txt')).answer(201, whole)
  await until(() => stateOf('a.txt') === 'done')
  expect(uploads().find('a.txt')?.job).toMatchObject({ path: '/a(2).txt', name: 'a(2).txt' })
})

test('after a batch without an answer the server is asked for each file before it is sent again', async () => {
  uploads().add([smallJob('a'), smallJob('b')])
  ;(await request('POST', '/api/uploads')).answer(503)
  ;(await request('HEAD', '/api/tus/a')).answer(200, whole)
  ;(await request('HEAD', '/api/tus/b')).answer(404)
  ;(await request('POST', '/api/tus/b')).answer(201, whole)
  await until(() => stateOf('a') === 'done' && stateOf('b') === 'done')
})

test('a cancelled file ends its batch, and the others are sent alone after the server was asked', async () => {
  uploads().add([smallJob('a'), smallJob('b')])
  const batch = await request('POST', '/api/uploads')
  uploads().cancel('a')
  await until(() => batch.isAborted)
  ;(await request('HEAD', '/api/tus/b')).answer(404)
  ;(await request('POST', '/api/tus/b')).answer(201, whole)
  await until(() => stateOf('b') === 'done')
  expect(stateOf('a')).toBe('skipped')
})

test('a pause ends the request of a batch, and its files go on alone', async () => {
  uploads().add([smallJob('a'), smallJob('b')])
  const batch = await request('POST', '/api/uploads')
  uploads().pause()
  await until(() => batch.isAborted)
  uploads().resume()
  for (const name of ['a', 'b']) (await request('HEAD', `/api/tus/${name}`)).answer(200, whole)
  await until(() => stateOf('a') === 'done' && stateOf('b') === 'done')
})

test('two files of one path in a batch are told apart by sending them alone', async () => {
  uploads().add([smallJob('a'), { ...smallJob('a'), id: 'again' }])
  const answer = outcomes({ path: '/a', status: 201 }, { path: '/a', status: 409 })
  ;(await request('POST', '/api/uploads')).answer(200, {}, answer)
  ;(await request('HEAD', '/api/tus/a')).answer(200, whole)
  await until(() => stateOf('a') === 'done' || stateOf('again') === 'done')
})

test('while the server is away no batch is begun', async () => {
  uploads().add([smallJob('a'), smallJob('b')])
  ;(await request('POST', '/api/uploads')).answer(503)
  ;(await request('HEAD', '/api/tus/a')).answer(503)
  ;(await request('HEAD', '/api/tus/b')).answer(503)
  await until(() => uploads().view.get().attempt !== null)
  uploads().add([smallJob('c'), smallJob('d')])
  const [asked] = await Promise.all([request('HEAD', '/api/tus/a'), request('HEAD', '/api/tus/b')])
  expect([stateOf('c'), stateOf('d')]).toEqual(['queued', 'queued'])
  asked.answer(200, whole)
  ;(await request('HEAD', '/api/tus/b')).answer(200, whole)
  await request('POST', '/api/uploads')
  expect([stateOf('c'), stateOf('d')]).toEqual(['uploading', 'uploading'])
})

test('a server that knows no batches is asked for one once', async () => {
  uploads().add([smallJob('a'), smallJob('b')])
  const batch = await request('POST', '/api/uploads')
  batch.answer(404, { 'Tus-Resumable': null })
  for (const name of ['a', 'b']) {
    ;(await request('HEAD', `/api/tus/${name}`)).answer(404)
    ;(await request('POST', `/api/tus/${name}`)).answer(201, whole)
    await until(() => stateOf(name) === 'done')
  }
  uploads().add([smallJob('c'), smallJob('d')])
  for (const name of ['c', 'd']) (await request('POST', `/api/tus/${name}`)).answer(201, whole)
  await until(() => stateOf('c') === 'done' && stateOf('d') === 'done')
})

test('what is sent to a place waits for all withdrawals there, also where the last one is answered first', async () => {
  const again = (id: string) => ({ ...job('a.bin'), id })
  const withdrawals = () => pendingRequests().filter(({ method }) => method === 'DELETE')
  uploads().add([job('a.bin')])
  await request('POST', 'a.bin')
  uploads().cancel('a.bin')
  uploads().add([again('second')])
  await until(() => stateOf('second') === 'uploading' && withdrawals().length === 1)
  uploads().cancel('second')
  await until(() => withdrawals().length === 2)
  uploads().add([again('third')])
  const [first, last] = withdrawals()
  last?.answer(204)
  await Bun.sleep(20)
  expect(pendingRequests().map(({ method }) => method)).toEqual(['DELETE'])
  first?.answer(204)
  await request('POST', 'a.bin')
})
