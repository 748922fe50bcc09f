import { afterAll, afterEach, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { listen } from '../src/http/listener.ts'
import { headOf, openLine } from './line.ts'
import { startServer } from './server.ts'
import { type RawAnswer, sendBytes, sendRaw } from './socket.ts'

const server = await startServer()
await server.addUser('alice')
const token = await server.signIn('alice')
server.put({ 'a.txt': 'a', 'many/': '' })
for (let index = 0; index < 1100; index += 1) server.put({ [`many/${index}.txt`]: '' })
afterAll(() => server.stop())

afterEach(async () => {
  expect((await server.ask('/health')).status).toBe(200)
  expect(server.file('a.txt')).toBe('a')
  expect(server.logged.filter((entry) => JSON.stringify(entry).includes('Unexpected'))).toEqual([])
})

/** Refused, or closed without an answer, as the runtime does with malformed HTTP. */
function expectRefused(answer: RawAnswer, what: string): void {
  const isRefused = answer.status === 0 || answer.status === 505 || (answer.status >= 400 && answer.status < 500)
  expect([what, isRefused, answer.status]).toEqual([what, true, answer.status])
  expect(answer.body).not.toContain(server.root)
}

test.each(['PROPFIND', 'MKCOL', 'MOVE', 'LOCK', 'TRACE', 'CONNECT', 'PURGE', 'SEARCH', 'FOO', 'get', 'G\u00cbT', '-'])(
  'the method %s is refused',
  async (method) => {
    for (const target of ['/api/resources/a.txt', '/api/raw/a.txt', '/', '/api/nothing', '*'])
      expectRefused(await sendRaw(server.url, method, target, { 'x-auth': token }), `${method} ${target}`)
  },
)

test('malformed HTTP is refused', async () => {
  const auth = `x-auth: ${token}\r\nconnection: close\r\n`
  for (const bytes of [
    'junk\r\n\r\n',
    '\r\n\r\n\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    `GET /api/raw/a.txt HTTP/1.1\r\n${auth}\r\n`,
    `GET /api/raw/a.txt HTTP/9.9\r\nhost: x\r\n${auth}\r\n`,
    `GET /api/raw/a b.txt HTTP/1.1\r\nhost: x\r\n${auth}\r\n`,
    `GET /api/raw/a\0.txt HTTP/1.1\r\nhost: x\r\n${auth}\r\n`,
    `GET api/raw/a.txt HTTP/1.1\r\nhost: x\r\n${auth}\r\n`,
    `GET /${'x'.repeat(40_000)} HTTP/1.1\r\nhost: x\r\n${auth}\r\n`,
    `GET /api/raw/a.txt HTTP/1.1\r\nhost: x\r\nlong: ${'x'.repeat(40_000)}\r\n${auth}\r\n`,
    `GET /api/raw/a.txt HTTP/1.1\r\nhost: x\r\nno colon here\r\n${auth}\r\n`,
    `PUT /api/resources/a.txt HTTP/1.1\r\nhost: x\r\n${auth}content-length: -1\r\n\r\nx`,
    `PUT /api/resources/a.txt HTTP/1.1\r\nhost: x\r\n${auth}content-length: abc\r\n\r\nx`,
    `PUT /api/resources/a.txt HTTP/1.1\r\nhost: x\r\n${auth}content-length: 1\r\ncontent-length: 2\r\n\r\nxy`,
    `PUT /api/resources/a.txt HTTP/1.1\r\nhost: x\r\n${auth}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    `PUT /api/resources/a.txt HTTP/1.1\r\nhost: x\r\n${auth}transfer-encoding: chunked\r\n\r\nzz\r\nxx\r\n0\r\n\r\n`,
  ])
    expectRefused(await sendBytes(server.url, Buffer.from(bytes, 'latin1'), 700), JSON.stringify(bytes.slice(0, 80)))
})

test.each([
  ['a length and chunks', 'Content-Length: 30\r\nTransfer-Encoding: chunked'],
  ['two lengths', 'Content-Length: 3\r\nContent-Length: 5'],
  ['a list of lengths', 'Content-Length: 3, 3'],
  ['a signed length', 'Content-Length: +3'],
  ['a name of a header with a space', 'Content-Length : 3'],
  ['a header that goes on in the next line', 'X-Folded: a\r\n b\r\nContent-Length: 3'],
  ['an encoding beside chunks', 'Transfer-Encoding: chunked, identity'],
])('a body with %s is refused, and nothing behind it is taken for a request', async (what, headers) => {
  const host = new URL(server.url).host
  const smuggled = `DELETE /api/resources/a.txt HTTP/1.1\r\nHost: ${host}\r\nX-Auth: ${token}\r\n\r\n`
  const head = `PUT /api/resources/new.txt HTTP/1.1\r\nHost: ${host}\r\nX-Auth: ${token}\r\n${headers}\r\n\r\n`
  expectRefused(await sendBytes(server.url, `${head}3\r\nabc\r\n0\r\n\r\n${smuggled}`), what)
  expect(existsSync(join(server.root, 'new.txt'))).toBe(false)
})

test.each([
  ['/health', 200],
  ['/api/resources/', 200],
  ['/api/resources/many/', 200],
  ['/api/resources/a.txt', 200],
  ['/api/resources/a.txt?checksum=md5', 200],
  ['/api/raw/a.txt', 200],
  ['/api/raw/many?algo=zip', 200],
  ['/api/search/?query=a', 200],
  ['/api/resources/none', 404],
  ['/api/users/1', 200],
  ['/api/none', 404],
  ['/api/openapi.json', 200],
  ['/', 200],
  ['/static/none.js', 404],
] as const)('HEAD %s answers %d with the length that GET has, or with none', async (path, status) => {
  for (const encoding of ['identity', 'gzip']) {
    const headers = { 'x-auth': token, 'accept-encoding': encoding }
    const get = await server.ask(path, { headers })
    const { length } = await get.bytes()
    const head = await server.ask(path, { method: 'HEAD', headers })
    expect([get.status, head.status, (await head.bytes()).length]).toEqual([status, status, 0])
    expect([get.headers.get('content-length') ?? String(length), null]).toContain(head.headers.get('content-length'))
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
  }
})

test('an absolute address and HTTP/1.0 without a host get the same answer', async () => {
  const auth = `x-auth: ${token}\r\nconnection: close\r\n`
  for (const head of [
    'GET /api/raw/a.txt HTTP/1.0\r\n',
    'GET /api/raw/a.txt HTTP/1.0\r\nhost: x\r\n',
    'GET /api/raw/a.txt HTTP/1.1\r\nhost: evil.example:99\r\n',
    'GET /api/raw/a.txt HTTP/1.1\r\nhost: not a host/at:all?\r\n',
    'GET /api/raw/a.txt HTTP/1.1\r\nhost:\r\n',
    'GET http://evil.example/api/raw/a.txt HTTP/1.1\r\nhost: x\r\n',
    'GET http://evil.example:99/api/raw/a.txt?x=/y HTTP/1.1\r\nhost: x\r\n',
  ]) {
    const answer = await sendBytes(server.url, `${head}${auth}\r\n`)
    expect([head, answer.status, answer.body]).toEqual([head, 200, 'a'])
    const stranger = await sendBytes(server.url, `${head}connection: close\r\n\r\n`)
    expect([head, stranger.status]).toEqual([head, 401])
  }
})

test('an address that is only a host answers a refusal or the page, and no error', async () => {
  for (const target of [
    'http://evil.example',
    'http://',
    'http:',
    'https://x/',
    '?',
    '#',
    '//evil.example/x',
    '/\\evil.example',
  ])
    for (const method of ['GET', 'POST']) {
      const answer = await sendRaw(server.url, method, target)
      if (answer.status !== 200) expectRefused(answer, `${method} ${target}`)
      else expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(answer.headers.get('location')).toBeNull()
    }
})

test('bytes in an address that are not UTF-8 are refused', async () => {
  const head = Buffer.concat([
    Buffer.from('GET /api/raw/'),
    Buffer.from([0xff, 0xfe, 0xc3]),
    Buffer.from(` HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-auth: ${token}\r\n\r\n`),
  ])
  expectRefused(await sendBytes(server.url, head), 'raw bytes')
})

test('a client that sends its whole body before it reads receives the reason of a refusal', async () => {
  const size = 8 << 20
  for (const [path, auth, status] of [
    ['/api/resources/a.txt', token, 409],
    ['/api/resources/new.bin', 'no.such.token', 401],
  ] as const) {
    const line = await openLine(server.url)
    await line.send(headOf('POST', path, { 'x-auth': auth, 'content-length': size }))
    // Only once the answer is there: had the server hung up with it, what follows would break the connection.
    expect([path, await line.status]).toEqual([path, status])
    for (let sent = 0; sent < size; sent += 1 << 20) await line.send(Buffer.alloc(1 << 20))
    await line.send(headOf('GET', '/health', { connection: 'close' }))
    expect((await line.received).toString()).toContain('{"status":"OK"}')
  }
})

test('a refused upload over the limit is not read further', async () => {
  const line = await openLine(server.url)
  await line.send(headOf('POST', '/api/resources/a.txt', { 'x-auth': token, 'content-length': 1 << 30 }))
  expect((await line.received).toString()).toStartWith('HTTP/1.1 409 ')
})

test('a second server finds the port and the socket taken and leaves them unchanged', async () => {
  const socket = join(server.root, '../socket')
  const options = { address: '127.0.0.1', socketPerm: 0o600, cert: '', key: '', baseURL: '', trustedProxies: '' }
  const start = (where: { port: number; socket: string }) =>
    listen({ ...options, ...where }, { info() {}, warn() {}, error() {} }, () => new Response('mine'))
  expect(() => start({ port: Number(new URL(server.url).port), socket: '' })).toThrow('in use')
  const first = start({ port: 0, socket })
  expect(() => start({ port: 0, socket })).toThrow()
  expect(await (await fetch('http://x/', { unix: socket })).text()).toBe('mine')
  await first.close(100)
  expect(existsSync(socket)).toBe(false)
})

test.each([
  '/api/public/..\\resources/a.txt',
  '/api\\resources\\a.txt',
  '/api/public/x\\..\\..\\resources/a.txt',
  '/api/public/../resources/a.txt',
  '/api/public/%2e%2e/resources/a.txt',
  '/api/public/.%2E/resources/a.txt',
  '/api/public/./..\\resources/a.txt',
  '/api/public//..\\..\\resources/a.txt',
  '//public\\..\\..\\api/resources/a.txt',
  `/api/public/${'x/'.repeat(40)}${'..\\'.repeat(41)}resources/a.txt`,
  `/api/public/${'x/'.repeat(120)}${'..\\'.repeat(121)}resources/a.txt`,
  'http://other/api/public/..\\resources/a.txt',
])('%s, which a proxy may have read as another path, is refused', async (target) => {
  expect((await sendRaw(server.url, 'GET', target, { 'x-auth': token })).status).toBe(400)
})

test('an encoded backslash is a letter of a name, in a path and in a query', async () => {
  server.put({ 'x\\y.txt': 'letter', '..\\z.txt': 'dots' })
  for (const [target, content] of [
    ['/api/raw/x%5cy.txt', 'letter'],
    ['/api/raw/./x%5Cy.txt', 'letter'],
    ['/api/raw/..%5cz.txt', 'dots'],
    ['/api/raw/x%5Cy.txt?x=\\..\\', 'letter'],
    [`/api/raw/${'./'.repeat(40)}x%5cy.txt`, 'letter'],
  ] as const) {
    const answer = await sendRaw(server.url, 'GET', target, { 'x-auth': token })
    expect([target, answer.status, answer.body]).toEqual([target, 200, content])
  }
})

test('a request with two host headers is refused', async () => {
  const bytes = `GET /api/raw/a.txt HTTP/1.1\r\nhost: a\r\nhost: b\r\nx-auth: ${token}\r\nconnection: close\r\n\r\n`
  expect((await sendBytes(server.url, bytes)).status).toBe(400)
})
