import { beforeEach, expect, test } from 'bun:test'
import type { FileJob } from './queue.ts'
import type { UploadAnswer, UploadRequest } from './request.ts'

let isServerThere = true
const page = new EventTarget()
const stored = new Map<string, { size: number; modified: string }>()
Object.assign(globalThis, {
  window: page,
  addEventListener: page.addEventListener.bind(page),
  removeEventListener: page.removeEventListener.bind(page),
  localStorage: { getItem: () => null, setItem: () => {}, removeItem: () => {} },
  sessionStorage: { getItem: () => null, setItem: () => {}, removeItem: () => {} },
  fetch: async (address: string) => {
    if (!String(address).includes('/health'))
      return Response.json([...stored].map(([name, facts]) => ({ name, path: `/${name}`, ...facts })))
    if (isServerThere) return new Response('{}')
    throw new TypeError('no connection')
  },
})
const { sendFile } = await import('./transport.ts')
const { endScope } = await import('../../state/session-scope.ts')
const { startSettings } = await import('../../server/start-settings.ts')

const modified = 1_700_000_000_000
const kilo = 1024

beforeEach(() => {
  endScope('cut-off')
  Object.assign(startSettings, { TusSettings: { chunkSize: 400 * kilo, retryCount: 2 } })
  isServerThere = true
  stored.clear()
})

function jobOf(size: number, more: Partial<FileJob> = {}): FileJob {
  const file = new File([new Uint8Array(size)], 'a.bin', { lastModified: modified })
  const facts = { id: '1', path: '/a.bin', name: 'a.bin', into: '/', size, override: false, url: null }
  return { kind: 'file', file, handle: null, kept: null, ...facts, ...more }
}

const answer = (status: number, headers: Record<string, string> = {}, body = ''): UploadAnswer => ({
  status,
  statusText: '',
  body,
  isOwn: 'tus-resumable' in headers,
  header: (name) => headers[name.toLowerCase()] ?? null,
})

const own = (status: number, headers: Record<string, string> = {}, body = '') =>
  answer(status, { 'tus-resumable': '1.0.0', ...headers }, body)

const lost = answer(0)
const proxyPage = (status: number) => answer(status, {}, '<html>no</html>')

/** A server that keeps one upload, behind whatever `before` puts in front of it. */
function serverBehind(before: (request: UploadRequest, size: number) => UploadAnswer | undefined = () => undefined) {
  let upload: { length: string; metadata: string; offset: number } | null = null
  const log: string[] = []
  async function send(request: UploadRequest): Promise<UploadAnswer> {
    const { method, isOverridden, headers = {}, body, signal } = request
    signal.throwIfAborted()
    const size = body?.size ?? 0
    log.push(`${isOverridden ? 'POST as ' : ''}${method}${size > 0 ? ` ${size / kilo}` : ''}`)
    return before(request, size) ?? take(method, headers, size)
  }
  function take(method: string, headers: Readonly<Record<string, string>>, size: number): UploadAnswer {
    if (method === 'POST') {
      upload = { length: headers['Upload-Length'] ?? '', metadata: headers['Upload-Metadata'] ?? '', offset: size }
      return own(201, size > 0 ? { 'upload-offset': String(size) } : {})
    }
    if (upload === null) return own(404)
    const { length, metadata } = upload
    if (method === 'HEAD')
      return own(200, { 'upload-offset': String(upload.offset), 'upload-length': length, 'upload-metadata': metadata })
    if (headers['Upload-Offset'] !== String(upload.offset))
      return own(409, {}, JSON.stringify({ code: 'wrong-offset', message: '' }))
    upload.offset += size
    return own(204, { 'upload-offset': String(upload.offset) })
  }
  return { send, log, offset: () => upload?.offset, take }
}

function watched() {
  const control = new AbortController()
  const waits: boolean[] = []
  const sending = {
    signal: control.signal,
    onProgress: () => {},
    onBegun: () => {},
    onWaiting: (isWaiting: boolean) => void waits.push(isWaiting),
  }
  return { sending, waits, abort: () => control.abort() }
}

test('a small file is sent by one request, a large one in pieces', async () => {
  const small = serverBehind()
  await sendFile(jobOf(10 * kilo), watched().sending, small.send)
  expect(small.log).toEqual(['POST 10'])
  const large = serverBehind()
  await sendFile(jobOf(900 * kilo), watched().sending, large.send)
  expect(large.log).toEqual(['POST', 'PATCH 400', 'PATCH 400', 'PATCH 100'])
})

test('an upload goes on at the offset of the server', async () => {
  const server = serverBehind()
  server.take('POST', headersOf(900), 0)
  server.take('PATCH', { 'Upload-Offset': '0' }, 500 * kilo)
  await sendFile(jobOf(900 * kilo, { url: '/api/tus/a.bin' }), watched().sending, server.send)
  expect(server.log).toEqual(['HEAD', 'PATCH 400'])
})

test('a complete upload of another file under the same name is not taken for this one', async () => {
  const server = serverBehind()
  server.take('POST', { ...headersOf(10), 'Upload-Metadata': 'mtime b3RoZXI=' }, 10 * kilo)
  await sendFile(jobOf(10 * kilo, { url: '/api/tus/a.bin', override: true }), watched().sending, server.send)
  expect(server.log).toEqual(['HEAD', 'POST 10'])
})

test('an outage uses up no tries, however many requests fail in it', async () => {
  const outages = 4
  let failures = 0
  const server = serverBehind(({ method }) => {
    if (method !== 'PATCH' || failures === outages) return undefined
    failures += 1
    isServerThere = false
    return failures % 2 === 0 ? proxyPage(502) : lost
  })
  const { sending, waits } = watched()
  const sent = sendFile(jobOf(900 * kilo), sending, server.send)
  for (let outage = 1; outage <= outages; outage += 1) {
    await until(() => waits.length === 2 * outage - 1)
    isServerThere = true
    page.dispatchEvent(new Event('online'))
  }
  await sent
  expect(waits).toEqual([true, false, true, false, true, false, true, false])
  expect(server.offset()).toBe(900 * kilo)
})

test('a request that fails while the server is there is tried as often as the settings say', async () => {
  const server = serverBehind(({ method }) => (method === 'PATCH' ? lost : undefined))
  Object.assign(startSettings, { TusSettings: { chunkSize: 40 * kilo, retryCount: 1 } })
  endScope('cut-off')
  await expect(sendFile(jobOf(300 * kilo), watched().sending, server.send)).rejects.toThrow('001 Connection aborted')
  expect(server.log).toEqual(['POST', 'PATCH 40', 'HEAD', 'PATCH 40'])
})

test('a lost answer to the last piece is no conflict, also after a restart of the server', async () => {
  let posts = 0
  const server = serverBehind((request) => {
    if (request.method === 'HEAD') return own(404)
    posts += 1
    if (posts > 1) return own(409, {}, JSON.stringify({ code: 'already-exists', message: '' }))
    stored.set('a.bin', { size: 10 * kilo, modified: new Date(modified).toISOString() })
    return lost
  })
  await sendFile(jobOf(10 * kilo), watched().sending, server.send)
  expect(server.log).toEqual(['POST 10', 'HEAD', 'POST 10'])

  stored.set('a.bin', { size: 11 * kilo, modified: new Date(modified).toISOString() })
  posts = 0
  const other = serverBehind((request) => {
    if (request.method === 'HEAD') return own(404)
    posts += 1
    return posts > 1 ? own(409, {}, JSON.stringify({ code: 'already-exists', message: '' })) : lost
  })
  await expect(sendFile(jobOf(10 * kilo), watched().sending, other.send)).rejects.toMatchObject({ isNameTaken: true })
})

test('a proxy that refuses PATCH and HEAD gets POST with the method in a header, from the next file on at once', async () => {
  const refusing = ({ method, isOverridden }: UploadRequest) =>
    (method === 'PATCH' || method === 'HEAD') && !isOverridden ? proxyPage(405) : undefined
  const first = serverBehind(refusing)
  await sendFile(jobOf(900 * kilo), watched().sending, first.send)
  expect(first.log).toEqual([
    'POST',
    'PATCH 400',
    'HEAD',
    'POST as HEAD',
    'POST as PATCH 400',
    'POST as PATCH 400',
    'POST as PATCH 100',
  ])
  const second = serverBehind(refusing)
  await sendFile(jobOf(300 * kilo), watched().sending, second.send)
  expect(second.log).toEqual(['POST', 'POST as PATCH 300'])
})

test('a proxy that takes 64 kB at most gets smaller pieces, from the next file on at once', async () => {
  const narrow = (_: UploadRequest, size: number) => (size > 64_000 ? proxyPage(413) : undefined)
  const first = serverBehind(narrow)
  await sendFile(jobOf(200 * kilo), watched().sending, first.send)
  expect(first.log.slice(0, 4)).toEqual(['POST 200', 'POST', 'PATCH 100', 'HEAD'])
  expect(first.offset()).toBe(200 * kilo)
  const second = serverBehind(narrow)
  await sendFile(jobOf(100 * kilo), watched().sending, second.send)
  expect(second.log).toEqual(['POST', 'PATCH 50', 'PATCH 50'])
})

test('where bytes with the creation are refused, the file is created without them', async () => {
  const server = serverBehind(({ method }, size) => (method === 'POST' && size > 0 ? proxyPage(400) : undefined))
  await sendFile(jobOf(10 * kilo), watched().sending, server.send)
  expect(server.log).toEqual(['POST 10', 'POST', 'PATCH 10'])
})

test('a refusal of the server ends the upload with its reason', async () => {
  const forbidden = serverBehind(() => own(403, {}, JSON.stringify({ code: 'forbidden', message: 'no' })))
  await expect(sendFile(jobOf(10 * kilo), watched().sending, forbidden.send)).rejects.toThrow(
    'Failed to create an upload: 403',
  )
  expect(forbidden.log).toEqual(['POST 10'])
})

test('an abort ends the wait for the server', async () => {
  isServerThere = false
  const server = serverBehind(() => lost)
  const { sending, waits, abort } = watched()
  const sent = sendFile(jobOf(10 * kilo), sending, server.send)
  await until(() => waits.length === 1)
  abort()
  await expect(sent).rejects.toMatchObject({ name: 'AbortError' })
})

const headersOf = (size: number) => ({
  'Upload-Length': String(size * kilo),
  'Upload-Metadata': `mtime ${btoa(new Date(modified).toISOString())}`,
})

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await Bun.sleep(1)
}
