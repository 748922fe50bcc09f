import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { draftsBelow, snapshot } from './disk.ts'
import { headOf, type Line, openLine } from './line.ts'
import { until } from './process.ts'
import { startServer, type TestServer } from './server.ts'

let server: TestServer
let token: string
beforeAll(async () => {
  server = await startServer()
  await server.addUser('ann')
  token = await server.signIn('ann')
})
beforeEach(() => {
  rmSync(server.root, { recursive: true })
  server.put({ 'folder/old.bin': 'the old content', 'folder/other.txt': 'a neighbour' })
})
afterAll(() => server.stop())

const requests = [
  { what: 'a new file in new folders', method: 'POST', path: '/folder/made/for/it.bin' },
  { what: 'a new file over an old one', method: 'POST', path: '/folder/old.bin?override=true' },
  { what: 'a save', method: 'PUT', path: '/folder/old.bin' },
]
const ways: { how: string; cut: (line: Line) => unknown }[] = [
  { how: 'is closed', cut: (line) => line.close() },
  { how: 'is reset', cut: (line) => line.reset() },
  { how: 'stalls and is closed', cut: (line) => Bun.sleep(50).then(() => line.close()) },
]
const body = Buffer.alloc(600_000, 'the new content ')
const wholeChunk = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')])
const framings: { framing: string; headers: Record<string, string | number>; bytes: Buffer }[] = [
  { framing: 'with its length', headers: { 'content-length': body.length }, bytes: body.subarray(0, -1) },
  // The whole content was sent, without the last chunk that ends it.
  { framing: 'in chunks', headers: { 'transfer-encoding': 'chunked' }, bytes: wholeChunk },
]
const amounts = [
  { when: 'half-way', part: 0.5 },
  { when: 'just before the end', part: 1 },
]
const cases = requests.flatMap((request) =>
  ways.flatMap((way) =>
    framings.flatMap((framing) => amounts.map((amount) => ({ ...request, ...way, ...framing, ...amount }))),
  ),
)

test.each(cases)('$what $framing leaves no trace when the connection $how $when', async (given) => {
  const before = snapshot(server.root)
  const line = await openLine(server.url)
  await line.send(headOf(given.method, `/api/resources${given.path}`, { 'x-auth': token, ...given.headers }))
  await line.send(given.bytes.subarray(0, Math.floor(given.bytes.length * given.part)))
  await until(() => draftsBelow(server.root).length > 0)
  expect(draftsBelow(server.root)).toHaveLength(1)

  await given.cut(line)
  await until(() => Bun.deepEquals(snapshot(server.root), before))
  expect(snapshot(server.root)).toEqual(before)
  const again = await server.ask('/api/resources/folder/old.bin', { headers: { 'x-auth': token } })
  expect(again.status).toBe(200)
})

test('the same upload over an uncut connection leaves the new file', async () => {
  const line = await openLine(server.url)
  const headers = { 'x-auth': token, 'content-length': body.length, connection: 'close' }
  await line.send(headOf('PUT', '/api/resources/folder/old.bin', headers))
  await line.send(body)
  expect(await line.status).toBe(200)
  expect(server.file('folder/old.bin')).toBe(body.toString())
  line.close()
})
