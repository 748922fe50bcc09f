import { afterAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { statusOf } from './answers.ts'
import { startServer } from './server.ts'
import { sendRaw } from './socket.ts'

const server = await startServer()
afterAll(() => server.stop())

const built = join(import.meta.dirname, '../../web/dist')
const files = readdirSync(built, { recursive: true, encoding: 'utf8' })
const find = (pattern: RegExp) => {
  const file = files.find((name) => pattern.test(name))
  if (file === undefined) throw new Error(`The client was built without ${pattern}`)
  return file
}
// The one that the page starts with: small scripts are not worth compressing.
const script = find(/^assets\/first-.*\.js$/)
const style = find(/^assets\/.*\.css$/)
const icon = find(/^img\/.*\.(svg|png|ico)$/)
const get = (path: string, encoding = 'identity', init: RequestInit = {}) =>
  server.ask(path, { ...init, headers: { 'accept-encoding': encoding }, decompress: false } as RequestInit)

test('a file with a hash in its name is cached for ever', async () => {
  for (const [file, type] of [
    [script, 'text/javascript; charset=utf-8'],
    [style, 'text/css; charset=utf-8'],
  ] as const) {
    const response = await get(`/static/${file}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('content-type')).toBe(type)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('vary')).toBe('Accept-Encoding')
    expect(Buffer.from(await response.arrayBuffer()).equals(readFileSync(join(built, file)))).toBe(true)
  }
})

test('a file without a hash is cached for a day', async () => {
  const response = await get(`/static/${icon}`)
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'public, max-age=86400'])
  expect(Buffer.from(await response.arrayBuffer()).equals(readFileSync(join(built, icon)))).toBe(true)
})

test('a worker may start from the own scripts, and an SVG cannot run any', async () => {
  const policyOf = async (file: string) => (await get(`/static/${file}`)).headers.get('content-security-policy')
  expect(await policyOf(script)).toBe("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'")
  expect(await policyOf(find(/^img\/.*\.svg$/))).toBe("default-src 'none'; style-src 'unsafe-inline'; sandbox")
})

const unpack = { br: brotliDecompressSync, gzip: gunzipSync, zstd: zstdDecompressSync }
const neighbours = { br: '.br', gzip: '.gz', zstd: '.zst' }
const made = (['br', 'gzip', 'zstd'] as const).filter((encoding) => files.includes(script + neighbours[encoding]))

// `npm start` builds without compressed copies; the whole suite builds with them.
test.each(made)('%s is sent when the client accepts it', async (encoding) => {
  const response = await get(`/static/${script}`, encoding)
  expect(response.headers.get('content-encoding')).toBe(encoding)
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  const unpacked = unpack[encoding](Buffer.from(await response.arrayBuffer()))
  expect(unpacked.equals(readFileSync(join(built, script)))).toBe(true)
})

test('the best accepted encoding is chosen, and no refused one', async () => {
  const best = made.length > 0 ? 'br' : 'zstd'
  expect((await get(`/static/${script}`, 'gzip, deflate, br, zstd')).headers.get('content-encoding')).toBe(best)
  expect((await get(`/static/${script}`, 'br;q=0, deflate')).headers.get('content-encoding')).toBeNull()
  expect((await get(`/static/${script}`, '')).headers.get('content-encoding')).toBeNull()
})

test('HEAD has the same headers without the bytes', async () => {
  const [head, full] = [
    await get(`/static/${script}`, 'gzip', { method: 'HEAD' }),
    await get(`/static/${script}`, 'gzip'),
  ]
  for (const name of ['content-type', 'content-encoding', 'cache-control'])
    expect([name, head.headers.get(name)]).toEqual([name, full.headers.get(name)])
  expect([head.status, await head.text()]).toEqual([200, ''])
})

test('a missing file answers 404 that is not cached', async () => {
  for (const file of [
    'none.js',
    'assets/none.js',
    'assets/index-00000000.js',
    'index.html',
    'img/',
    'img',
    'assets',
    'assets/',
    '',
  ]) {
    const response = await get(`/static/${file}`)
    expect([file, response.status]).toEqual([file, 404])
    expect(response.headers.get('cache-control') ?? 'no-store').toContain('no-store')
  }
})

test('a static path out of the build folder answers no file', async () => {
  for (const way of [
    '../package.json',
    '..%2fpackage.json',
    '%2e%2e%2fpackage.json',
    'assets/..%2f..%2findex.html',
    '..%5cpackage.json',
    '%2fetc%2fpasswd',
    '/etc/passwd',
    'img%00',
  ]) {
    const answer = await sendRaw(server.url, 'GET', `/static/${way}`)
    expect(answer.body).not.toContain('"private"')
    expect(answer.body).not.toContain('root:')
    const isPage = answer.headers.get('content-type')?.startsWith('text/html') ?? false
    expect([way, answer.status === 404 || answer.status === 400 || isPage]).toEqual([way, true])
  }
})

test('static files refuse every method but reading', async () => {
  for (const method of ['POST', 'PUT', 'DELETE'])
    expect(await statusOf(server.ask(`/static/${script}`, { method }))).toBe(405)
})
