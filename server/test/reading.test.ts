import { afterAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { checksumAlgorithms, type Resource } from '@filestead/contract'
import { jsonIn } from './answers.ts'
import { startServer } from './server.ts'

const server = await startServer()
await server.addUser('alice')
await server.addUser('viewer', { lacks: ['download', 'share'] })
await server.addUser('reader', { lacks: ['modify'] })
const [alice, viewer, reader] = [await server.as('alice'), await server.as('viewer'), await server.as('reader')]
afterAll(() => server.stop())

const raw = { 'x-encoding': 'true' }

test('the answer has the text of a file for a user who may download', async () => {
  server.put({ 'a.txt': 'hello' })
  expect(await jsonIn<Resource>(alice('/api/resources/a.txt'))).toMatchObject({ type: 'text', content: 'hello' })
  const seen = await jsonIn<Resource>(viewer('/api/resources/a.txt'))
  expect([seen.type, 'content' in seen]).toEqual(['text', false])
})

test('text is textImmutable without the permission to modify', async () => {
  server.put({ 'b.txt': 'hello' })
  const seen = await jsonIn<Resource>(reader('/api/resources/b.txt'))
  expect(seen).toMatchObject({ type: 'textImmutable', content: 'hello' })
})

test.each([
  'a "quoted" \\ back\\slash',
  'tab\t cr\r\n bell\u0007',
  '\u2028 \u2029 </script>',
  '\ufeffwith a mark',
  'é€😀',
])('the text %j arrives unchanged', async (text) => {
  server.put({ 'any.txt': text })
  expect((await jsonIn<Resource>(alice('/api/resources/any.txt'))).content).toBe(text)
})

test('characters across two chunks of a long text stay intact', async () => {
  const text = `x${'é€😀'.repeat(100_000)}`
  server.put({ 'long.txt': text })
  expect((await jsonIn<Resource>(alice('/api/resources/long.txt'))).content === text).toBe(true)
})

test('bytes that are not UTF-8 become replacement characters in the text', async () => {
  server.put({ 'latin.txt': Buffer.from('caf\xe9', 'latin1') })
  expect((await jsonIn<Resource>(alice('/api/resources/latin.txt'))).content).toBe('caf\ufffd')
})

test('an empty file and an image have no text', async () => {
  server.put({ 'empty.txt': '', 'p.png': 'x' })
  for (const name of ['empty.txt', 'p.png'])
    expect(await jsonIn<Resource>(alice(`/api/resources/${name}`))).not.toHaveProperty('content')
})

test('text is sent up to ten megabytes', async () => {
  server.put({ 'limit.txt': new Uint8Array(10_485_760).fill(97), 'over.txt': new Uint8Array(10_485_761).fill(97) })
  const limit = await jsonIn<Resource>(alice('/api/resources/limit.txt'))
  expect([limit.type, limit.content?.length]).toEqual(['text', 10_485_760])
  const over = await jsonIn<Resource>(alice('/api/resources/over.txt'))
  expect([over.type, 'content' in over]).toEqual(['blob', false])
})

test('X-Encoding answers the bytes of a text unchanged', async () => {
  const bytes = Buffer.from('caf\xe9 \x80\xff', 'latin1')
  server.put({ 'bytes.txt': bytes })
  const response = await alice('/api/resources/bytes.txt', { headers: raw })
  expect(response.headers.get('content-type')).toBe('application/octet-stream')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  const etag = (await alice('/api/resources/bytes.txt')).headers.get('etag')
  expect(response.headers.get('etag')).toBe(etag)
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true)
})

test('X-Encoding changes nothing for other files, and needs the permission to download', async () => {
  server.put({ 'c.txt': 'hello', 'c.png': 'x' })
  expect(await jsonIn<Resource>(alice('/api/resources/c.png', { headers: raw }))).toMatchObject({ type: 'image' })
  const immutable = await jsonIn<Resource>(reader('/api/resources/c.txt', { headers: raw }))
  expect(immutable).toMatchObject({ type: 'textImmutable', content: 'hello' })
  const refused = await viewer('/api/resources/c.txt', { headers: raw })
  expect([refused.status, await refused.text()]).toEqual([202, '202 Accepted\n'])
})

test.each(checksumAlgorithms)('%s is computed over the bytes', async (algorithm) => {
  const bytes = Buffer.alloc(300_000, 'filestead')
  server.put({ 'sum.txt': bytes, 'sum.bin': new Uint8Array([0, 1, 255]), 'sum.empty': '' })
  for (const [name, content] of [
    ['sum.txt', bytes],
    ['sum.bin', Buffer.from([0, 1, 255])],
    ['sum.empty', Buffer.alloc(0)],
  ] as const) {
    const seen = await jsonIn<Resource>(alice(`/api/resources/${name}?checksum=${algorithm}`))
    expect(seen.checksums).toEqual({ [algorithm]: createHash(algorithm).update(content).digest('hex') })
    expect(seen).not.toHaveProperty('content')
  }
})

test('an unknown checksum is refused, and so is one without the permission to download', async () => {
  server.put({ 'd.txt': 'hello' })
  for (const algorithm of ['md4', 'MD5', 'constructor'])
    expect((await alice(`/api/resources/d.txt?checksum=${algorithm}`)).status).toBe(400)
  const refused = await viewer('/api/resources/d.txt?checksum=md5')
  expect([refused.status, await refused.text()]).toEqual([202, '202 Accepted\n'])
})

test('a folder ignores parameters for files', async () => {
  server.put({ 'box/in.txt': 'in' })
  expect(await jsonIn<Resource>(viewer('/api/resources/box?checksum=md5', { headers: raw }))).toMatchObject({
    isDir: true,
  })
})

test('the version of a file is the same in every answer, and new after every save', async () => {
  server.put({ 'v.txt': 'one' })
  const etags = async () => [
    (await alice('/api/resources/v.txt')).headers.get('etag'),
    (await alice('/api/resources/v.txt?checksum=md5')).headers.get('etag'),
    (await alice('/api/raw/v.txt')).headers.get('etag'),
    (await alice('/api/raw/v.txt', { method: 'HEAD' })).headers.get('etag'),
  ]
  const versions = new Set<string | null>()
  for (const text of ['two', 'six', 'two', 'ten']) {
    const saved = await alice('/api/resources/v.txt', { method: 'PUT', body: text })
    const seen = new Set([saved.headers.get('etag'), ...(await etags())])
    expect(seen.size).toBe(1)
    for (const version of seen) versions.add(version)
  }
  expect(versions.size).toBe(4)
})
