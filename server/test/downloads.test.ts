import { afterAll, expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { filesOfAnswers } from '../src/http/held-files.ts'
import { openBeneath } from '../src/storage/testing/open-files.fixture.ts'
import { jsonIn, statusOf } from './answers.ts'
import { until } from './process.ts'
import { type Ask, startServer } from './server.ts'
import { sendRaw } from './socket.ts'

const server = await startServer()
await server.addUser('alice')
await server.addUser('viewer', { lacks: ['download', 'share'] })
const token = await server.signIn('alice')
const [alice, viewer] = [await server.as('alice'), await server.as('viewer')]
afterAll(() => server.stop())

const at = (path: string) => join(server.root, path)
const hashOf = (bytes: Uint8Array | ArrayBuffer) => createHash('sha256').update(new Uint8Array(bytes)).digest('hex')

/** The files of the root that are open, beside those that are held for a while after their answer has begun. */
async function leftOpen(): Promise<string[]> {
  filesOfAnswers.closeAll()
  await until(() => openFiles().length === 0)
  return openFiles()
}

const openFiles = () => openBeneath(server.root)

server.put({ 'ten.txt': 'abcdefghij', 'empty.txt': '' })
utimesSync(at('ten.txt'), 1_700_000_000.5, 1_700_000_000.5)

test('a download is a sandboxed attachment', async () => {
  const response = await alice('/api/raw/ten.txt')
  expect(response.status).toBe(200)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'accept-ranges': 'bytes',
    'cache-control': expect.stringContaining('private'),
    'content-disposition': "attachment; filename*=utf-8''ten.txt",
    'content-length': '10',
    'content-security-policy': expect.stringMatching(/^sandbox; default-src 'none'; script-src 'none';/),
    'content-type': 'application/octet-stream',
    etag: expect.stringMatching(/^"[^"]+"$/),
    'last-modified': 'Tue, 14 Nov 2023 22:13:20 GMT',
    'x-content-type-options': 'nosniff',
  })
  expect(await response.text()).toBe('abcdefghij')
})

test('a slash after the name of a file is ignored', async () => {
  expect(await (await alice('/api/raw/ten.txt/')).text()).toBe('abcdefghij')
})

const sandbox =
  "sandbox; default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; font-src data:"
test.each([
  ['page.html', '<script>alert(1)</script>', 'text/html; charset=utf-8', sandbox],
  ['draw.svg', '<svg/>', 'image/svg+xml', sandbox],
  ['note.txt', 'x', 'text/plain; charset=utf-8', sandbox],
  ['photo.PNG', 'x', 'image/png', sandbox],
  ['film.mp4', 'x', 'video/mp4', sandbox],
  ['page.xhtml', 'x', 'application/xhtml+xml', sandbox],
  ['noname', '<html><script>alert(1)</script>', 'text/html; charset=utf-8', sandbox],
  ['binary', '\x00\x01', 'application/octet-stream', sandbox],
  ['book.pdf', '%PDF-1.4', 'application/pdf', "script-src 'none'"],
  ['book', '%PDF-1.4', 'application/pdf', "script-src 'none'"],
])('%s is shown inline with its type, and no script in it runs', async (name, content, type, policy) => {
  server.put({ [`inline/${name}`]: content })
  const response = await alice(`/api/raw/inline/${name}?inline=true`)
  expect([
    response.headers.get('content-disposition'),
    response.headers.get('content-type'),
    response.headers.get('content-security-policy'),
    response.headers.get('x-content-type-options'),
  ]).toEqual([`inline; filename*=utf-8''${name}`, type, policy, 'nosniff'])
})

test('only inline=true asks for inline display', async () => {
  for (const query of ['inline', 'inline=1', 'inline=TRUE', 'inline=false'])
    expect((await alice(`/api/raw/ten.txt?${query}`)).headers.get('content-disposition')).toStartWith('attachment;')
})

test.each([
  'plain.txt',
  'with space.txt',
  'ünï 😀.txt',
  'quote".txt',
  "apostrophe's.txt",
  'percent%41.txt',
  'semi; filename=evil.exe',
  'cr\r\nset-cookie: evil=1',
  'paren(1)*!.txt',
  'comma, and \\.txt',
])('the name %j is encoded in one header and adds no other', async (name) => {
  server.put({ [`names/${name}`]: 'x' })
  const target = `/api/raw/names/${encodeURIComponent(name)}`
  const { headers } = await sendRaw(server.url, 'GET', target, { 'x-auth': token })
  const [, encoded = ''] =
    /^attachment; filename\*=utf-8''([\w.~%-]+)$/.exec(headers.get('content-disposition') ?? '') ?? []
  expect(decodeURIComponent(encoded)).toBe(name)
  expect(headers.get('set-cookie')).toBeNull()
})

test('a download without the permission answers 202, whether the file exists or not', async () => {
  for (const path of ['/api/raw/ten.txt', '/api/raw/none.txt', '/api/raw/', '/api/raw/ten.txt?inline=true']) {
    const response = await viewer(path)
    expect([response.status, await response.text()]).toEqual([202, '202 Accepted\n'])
  }
})

test('a download of a missing path answers 404, one of a pipe 400 at once', async () => {
  execFileSync('mkfifo', [at('pipe')])
  for (const path of ['none.txt', 'ten.txt/below', 'none/deep'])
    expect([path, await statusOf(alice(`/api/raw/${path}`))]).toEqual([path, 404])
  expect(await statusOf(alice('/api/raw/pipe'))).toBe(400)
})

test('an empty file is downloaded', async () => {
  const response = await alice('/api/raw/empty.txt')
  expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '0', ''])
})

test('a large file arrives byte for byte', async () => {
  const bytes = randomBytes(40_000_000)
  server.put({ 'large.bin': bytes })
  expect(hashOf(await (await alice('/api/raw/large.bin')).arrayBuffer())).toBe(hashOf(bytes))
  const piece = await alice('/api/raw/large.bin', { headers: { range: 'bytes=12345678-23456789' } })
  expect(hashOf(await piece.arrayBuffer())).toBe(hashOf(bytes.subarray(12_345_678, 23_456_790)))
})

test('two hundred downloads at once each get their own file, and all files are closed', async () => {
  const contentOf = (number: number) => `file ${number} `.repeat(1000 + number * 40)
  for (let number = 0; number < 200; number += 1) server.put({ [`crowd/${number}.txt`]: contentOf(number) })
  const wrong: number[] = []
  await Promise.all(
    Array.from({ length: 200 }, async (_, number) => {
      const query = number % 3 === 0 ? '?inline=true' : ''
      const text = await (await alice(`/api/raw/crowd/${number}.txt${query}`)).text()
      if (text !== contentOf(number)) wrong.push(number)
    }),
  )
  expect(wrong).toEqual([])
  expect(await leftOpen()).toEqual([])
})

test('HEAD of a text file leaves no file open', async () => {
  for (const encoding of ['identity', 'gzip']) {
    const init = { method: 'HEAD', headers: { 'accept-encoding': encoding } }
    const response = await alice('/api/resources/ten.txt', init)
    expect(response.headers.get('etag')).toBe((await alice('/api/resources/ten.txt')).headers.get('etag'))
  }
  expect(await leftOpen()).toEqual([])
})

test.each(['HEAD', 'GET'])('%s requests that send no bytes leave no file open', async (method) => {
  for (let tries = 0; tries < 30; tries += 1) {
    await statusOf(alice('/api/raw/ten.txt', { method, headers: { 'if-none-match': '*' } }))
    await statusOf(alice('/api/raw/ten.txt', { method, headers: { range: 'bytes=50-' } }))
    await statusOf(alice('/api/resources/ten.txt', { method }))
    await statusOf(alice('/api/resources/ten.txt?checksum=none', { method }))
    await statusOf(alice('/api/resources/ten.txt', { method, headers: { 'x-encoding': 'true' } }))
  }
  expect(await leftOpen()).toEqual([])
})

/** Reads the first bytes of a download, lets something happen, and reads the rest. */
async function interrupted(ask: Ask, path: string, happen: () => Promise<unknown>): Promise<Buffer> {
  const reader = (await ask(path)).body?.getReader()
  if (reader === undefined) throw new Error('no body')
  const pieces: Uint8Array[] = []
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    if (pieces.length === 0) await happen()
    pieces.push(piece.value)
  }
  return Buffer.concat(pieces)
}

test.each<[string, string, string]>([
  ['replaced', 'PUT', ''],
  ['overridden', 'POST', '?override=true'],
  ['removed', 'DELETE', ''],
  ['moved away', 'PATCH', '?action=rename&destination=%2Felsewhere.bin&override=true'],
])('a file that is %s during its download arrives complete in the old version', async (_what, method, query) => {
  const size = 30_000_000
  server.put({ 'changing.bin': Buffer.alloc(size, 'a') })
  const body = method === 'PUT' || method === 'POST' ? Buffer.alloc(size + 5, 'b') : null
  const received = await interrupted(alice, '/api/raw/changing.bin', async () => {
    expect(await statusOf(alice(`/api/resources/changing.bin${query}`, { method, body }))).toBeLessThan(300)
  })
  expect([received.length, received.equals(Buffer.alloc(size, 'a'))]).toEqual([size, true])
  if (body !== null) expect((await (await alice('/api/raw/changing.bin')).text()) === body.toString()).toBe(true)
})

test.each([
  ['/api/raw/left.bin', 'identity'],
  ['/api/resources/left.txt', 'identity'],
  ['/api/resources/left.txt', 'gzip'],
  ['/api/resources/left.txt', 'zstd'],
])('a client that disconnects in the middle of %s (%s) leaves no file open', async (path, encoding) => {
  server.put({ 'left.bin': Buffer.alloc(30_000_000, 'x'), 'left.txt': randomBytes(5_000_000).toString('hex') })
  for (let tries = 0; tries < 3; tries += 1) {
    const stop = new AbortController()
    const response = await alice(path, { signal: stop.signal, headers: { 'accept-encoding': encoding } })
    const reader = response.body?.getReader()
    await reader?.read()
    // Less than this may have gone into the buffers on the way, and is closed by now.
    if (path.startsWith('/api/raw/')) expect(openFiles()).not.toEqual([])
    stop.abort()
    await reader?.read().catch(() => {})
  }
  expect(await leftOpen()).toEqual([])
  expect(await (await alice('/api/raw/ten.txt')).text()).toBe('abcdefghij')
})

test('usage has the size of the disk for a folder and nothing for a file', async () => {
  server.put({ 'box/in.txt': 'in' })
  for (const path of ['/api/usage/', '/api/usage/box', '/api/usage/box/']) {
    const usage = await jsonIn<{ total: number; used: number }>(alice(path))
    expect(Object.keys(usage)).toEqual(['total', 'used'])
    expect(usage.total).toBeGreaterThan(0)
    expect(usage.used).toBeGreaterThan(0)
    expect(usage.used).toBeLessThanOrEqual(usage.total)
  }
  expect(await jsonIn<object>(alice('/api/usage/ten.txt'))).toEqual({ total: 0, used: 0 })
  expect(await statusOf(alice('/api/usage/none'))).toBe(404)
  expect(await statusOf(viewer('/api/usage/'))).toBe(200)
})
