import { afterAll, expect, test } from 'bun:test'
import { closeSync, ftruncateSync, openSync, utimesSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { startServer } from './server.ts'

const server = await startServer()
await server.addUser('alice')
const alice = await server.as('alice')
afterAll(() => server.stop())

const at = (path: string) => join(server.root, path)
server.put({ 'ten.txt': 'abcdefghij', 'empty.txt': '' })
utimesSync(at('ten.txt'), 1_700_000_000.5, 1_700_000_000.5)

test.each([
  ['bytes=0-3', 206, 'abcd', 'bytes 0-3/10'],
  ['bytes=5-', 206, 'fghij', 'bytes 5-9/10'],
  ['bytes=-3', 206, 'hij', 'bytes 7-9/10'],
  ['bytes=-100', 206, 'abcdefghij', 'bytes 0-9/10'],
  ['bytes=0-0', 206, 'a', 'bytes 0-0/10'],
  ['bytes=9-100', 206, 'j', 'bytes 9-9/10'],
  ['bytes=0-99999999999999999999', 206, 'abcdefghij', 'bytes 0-9/10'],
  ['bytes=10-', 416, '', 'bytes */10'],
  ['bytes=100-200', 416, '', 'bytes */10'],
  ['bytes=-0', 416, '', 'bytes */10'],
  ['bytes=3-1', 416, '', 'bytes */10'],
  ['bytes=0-1,4-5', 200, 'abcdefghij', null],
  ['bytes=a-b', 416, '', 'bytes */10'],
  ['bytes=-', 416, '', 'bytes */10'],
  ['items=0-3', 200, 'abcdefghij', null],
])('range %s', async (range, status, text, contentRange) => {
  const response = await alice('/api/raw/ten.txt', { headers: { range } })
  expect([response.status, response.headers.get('content-range')]).toEqual([status, contentRange])
  expect(response.headers.get('content-length')).toBe(String(text.length))
  expect(await response.text()).toBe(text)
})

test.each(['bytes=0-', 'bytes=0-0', 'bytes=-5', 'bytes=3-1'])(
  'range %s of an empty file answers the whole file',
  async (range) => {
    const response = await alice('/api/raw/empty.txt', { headers: { range } })
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '0', ''])
  },
)

test('a range beyond four gigabytes has the right bytes', async () => {
  const fd = openSync(at('sparse.bin'), 'w')
  ftruncateSync(fd, 5 * 2 ** 30)
  writeSync(fd, 'marker', 2 ** 32 + 7)
  closeSync(fd)
  const range = `bytes=${2 ** 32 + 7}-${2 ** 32 + 12}`
  const response = await alice('/api/raw/sparse.bin', { headers: { range } })
  expect([response.status, await response.text()]).toEqual([206, 'marker'])
  const head = await alice('/api/raw/sparse.bin', { method: 'HEAD' })
  expect(head.headers.get('content-length')).toBe(String(5 * 2 ** 30))
})

const versionNow = async () => (await alice('/api/raw/ten.txt', { method: 'HEAD' })).headers.get('etag') ?? ''

test('If-Range answers a range only for the same version', async () => {
  const version = await versionNow()
  for (const [condition, status] of [
    [version, 206],
    ['Tue, 14 Nov 2023 22:13:20 GMT', 206],
    ['"other"', 200],
    [`W/${version}`, 200],
    ['Tue, 14 Nov 2023 22:13:19 GMT', 200],
    ['junk', 200],
  ] as const) {
    const response = await alice('/api/raw/ten.txt', { headers: { range: 'bytes=0-3', 'if-range': condition } })
    expect([condition, response.status, await response.text()]).toEqual([
      condition,
      status,
      status === 206 ? 'abcd' : 'abcdefghij',
    ])
  }
})

test('a current copy answers 304', async () => {
  const version = await versionNow()
  const conditions: [Record<string, string>, number][] = [
    [{ 'if-none-match': version }, 304],
    [{ 'if-none-match': `W/${version}` }, 304],
    [{ 'if-none-match': `"a", ${version}` }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': '"other"' }, 200],
    [{ 'if-modified-since': 'Tue, 14 Nov 2023 22:13:20 GMT' }, 304],
    [{ 'if-modified-since': 'Wed, 15 Nov 2023 22:13:20 GMT' }, 304],
    [{ 'if-modified-since': 'Tue, 14 Nov 2023 22:13:19 GMT' }, 200],
    [{ 'if-modified-since': 'junk' }, 200],
    [{ 'if-none-match': '"other"', 'if-modified-since': 'Wed, 15 Nov 2023 22:13:20 GMT' }, 200],
    [{ 'if-none-match': version, range: 'bytes=0-3' }, 304],
  ]
  for (const [headers, status] of conditions) {
    for (const method of ['GET', 'HEAD']) {
      const response = await alice('/api/raw/ten.txt', { method, headers })
      expect([headers, method, response.status]).toEqual([headers, method, status])
      expect(response.headers.get('etag')).toBe(version)
      expect(await response.text()).toBe(status === 200 && method === 'GET' ? 'abcdefghij' : '')
    }
  }
})

test('If-Match answers only the requested version', async () => {
  const version = await versionNow()
  const conditions: [Record<string, string>, number][] = [
    [{ 'if-match': version }, 200],
    [{ 'if-match': `"a", ${version}` }, 200],
    [{ 'if-match': '*' }, 200],
    [{ 'if-match': '"other"' }, 412],
    [{ 'if-match': `W/${version}` }, 412],
    [{ 'if-match': '"other"', 'if-none-match': version }, 412],
    [{ 'if-unmodified-since': 'Tue, 14 Nov 2023 22:13:20 GMT' }, 200],
    [{ 'if-unmodified-since': 'Tue, 14 Nov 2023 22:13:19 GMT' }, 412],
    [{ 'if-unmodified-since': 'junk' }, 200],
    [{ 'if-match': version, 'if-unmodified-since': 'Tue, 14 Nov 2023 22:13:19 GMT' }, 200],
  ]
  for (const [headers, status] of conditions) {
    const response = await alice('/api/raw/ten.txt', { headers })
    expect([headers, response.status]).toEqual([headers, status])
    expect(await response.text()).toBe(status === 200 ? 'abcdefghij' : '')
  }
})

test('HEAD has the length and the type', async () => {
  const response = await alice('/api/raw/ten.txt?inline=true', { method: 'HEAD' })
  expect([response.headers.get('content-length'), response.headers.get('content-type')]).toEqual([
    '10',
    'text/plain; charset=utf-8',
  ])
  expect(response.headers.get('accept-ranges')).toBe('bytes')
  expect(await response.text()).toBe('')
  expect((await alice('/api/raw/empty.txt', { method: 'HEAD' })).headers.get('content-length')).toBe('0')
})
