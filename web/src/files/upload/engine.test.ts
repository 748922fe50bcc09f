import { afterEach, expect, test } from 'bun:test'
import type { FileJob } from './queue.ts'

const page = new EventTarget()
const empty = { getItem: () => null, setItem: () => {}, removeItem: () => {} }

/** Requests that wait for their answer. */
let pending: FakeRequest[] = []

class FakeRequest {
  readonly upload = {}
  method = ''
  address = ''
  status = 0
  statusText = ''
  responseText = ''
  onload = () => {}
  isAborted = false
  #headers = ''

  open(method: string, address: string): void {
    Object.assign(this, { method, address })
  }

  setRequestHeader(): void {}

  getAllResponseHeaders(): string {
    return this.#headers
  }

  send(): void {
    pending.push(this)
  }

  abort(): void {
    if (pending.includes(this)) this.isAborted = true
    pending = pending.filter((request) => request !== this)
  }

  answer(status: number, headers: Record<string, string | number> = {}): void {
    pending = pending.filter((request) => request !== this)
    this.status = status
    this.#headers = Object.entries({ 'Tus-Resumable': '1.0.0', ...headers })
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')
    this.onload()
  }
}

Object.assign(globalThis, {
  window: page,
  addEventListener: page.addEventListener.bind(page),
  removeEventListener: page.removeEventListener.bind(page),
  localStorage: { ...empty },
  sessionStorage: { ...empty },
  XMLHttpRequest: FakeRequest,
  fetch: async () => Response.json([]),
})
const { uploads } = await import('./engine.ts')
const { endScope } = await import('../../state/session-scope.ts')
const { unfinished } = await import('../../state/work.ts')
const { shownToasts } = await import('../../ui/toasts.ts')

afterEach(() => {
  endScope('cut-off')
  pending = []
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

async function request(method: string, name: string): Promise<FakeRequest> {
  const find = () => pending.find((each) => each.method === method && each.address.includes(name))
  while (find() === undefined) await Bun.sleep(1)
  return find() as FakeRequest
}

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
  expect([pending.length, shownToasts()]).toEqual([0, []])
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
