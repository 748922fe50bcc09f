import { afterAll, expect, test } from 'bun:test'
import { statusOf } from './answers.ts'
import { startServer } from './server.ts'

const server = await startServer()
afterAll(() => server.stop())
await server.addUser('alice')
await server.addUser('bob', { lacks: ['download', 'share'] })
await server.addUser('ruled', { rules: [{ regex: false, allow: false, path: '/denied', regexp: null }] })
const alice = await server.as('alice')

const vtt = async (path: string) => {
  const response = await alice(`/api/subtitle/${path}?inline=true`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/vtt')
  return response.text()
}

const srt =
  '1\r\n00:00:01,500 --> 00:00:03,000\r\nHello <i>you</i>\r\n\r\n2\r\n00:01:00,000 --> 00:01:02,250\r\nä<br/>b\r\n'
const ass = `[Script Info]
Title: x
[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Comment: 0,0:00:00.00,0:00:09.00,Default,,0,0,0,,not spoken
Dialogue: 0,0:00:05.00,0:00:06.50,Default,,0,0,0,,{\\i1}Second{\\i0}, with a comma\\Nand a line
Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,First
Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,{\\p1}m 0 0 l 100 0 100 100{\\p0}
`
server.put({
  'a.vtt': 'WEBVTT\n\n00:01.000 --> 00:02.000\nAs it is\n',
  'a.srt': srt,
  'a.ass': ass,
  'a.SSA': ass,
  'old.srt': Buffer.from('1\n00:00:01,000 --> 00:00:02,000\nça va où\n', 'latin1'),
  'wide.srt': Buffer.from(`\ufeff${srt}`, 'utf16le'),
  'russian.srt': Buffer.concat([
    Buffer.from('1\n00:00:01,000 --> 00:00:02,000\n'),
    Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]),
  ]),
  'none.srt': 'no subtitle at all',
  'empty.srt': '',
  'a.txt': srt,
  'folder.srt/': '',
  'denied/a.srt': srt,
})

test('WebVTT is sent unchanged', async () => {
  expect(await vtt('a.vtt')).toBe(server.file('a.vtt'))
})

const converted = `WEBVTT

1
00:00:01.500 --> 00:00:03.000
Hello <i>you</i>

2
00:01:00.000 --> 00:01:02.250
ä
b
`

test('SubRip becomes WebVTT, from any encoding', async () => {
  expect(await vtt('a.srt')).toBe(converted)
  expect(await vtt('wide.srt')).toBe(converted)
  expect(await vtt('old.srt')).toContain('\nça va où\n')
  expect(await vtt('russian.srt')).toContain('\nПривет\n')
})

test('ASS and SSA lose their styling and are sorted by time', async () => {
  const spoken =
    'WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000\nFirst\n\n2\n00:00:05.000 --> 00:00:06.500\nSecond, with a comma\nand a line\n'
  expect(await vtt('a.ass')).toBe(spoken)
  expect(await vtt('a.SSA')).toBe(spoken)
})

test('subtitles are private, sandboxed and named after their file', async () => {
  const { headers } = await alice('/api/subtitle/a.srt?inline=true')
  expect(headers.get('cache-control')).toBe('private, no-cache')
  expect(headers.get('content-security-policy')).toContain('sandbox')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-disposition')).toBe("inline; filename*=utf-8''a.srt")
  const plain = await alice('/api/subtitle/a.srt')
  expect(plain.headers.get('content-disposition')).toStartWith('attachment')
  expect(plain.headers.get('content-type')).toBe('text/vtt')
})

test('a current copy answers 304', async () => {
  const etag = (await alice('/api/subtitle/a.srt')).headers.get('etag') ?? ''
  const again = await alice('/api/subtitle/a.srt', { headers: { 'if-none-match': etag } })
  expect([again.status, await again.text()]).toEqual([304, ''])
  expect((await alice('/api/raw/a.srt', { headers: { 'if-none-match': etag } })).status).toBe(200)
  const head = await alice('/api/subtitle/a.srt', { method: 'HEAD' })
  expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(converted)))
})

test.each([
  ['a.txt', 400],
  ['folder.srt', 400],
  ['none.srt', 400],
  ['empty.srt', 400],
  ['missing.srt', 404],
])('%s is refused with %i', async (path, status) => {
  expect(await statusOf(alice(`/api/subtitle/${path}`))).toBe(status)
})

test('a file over the size limit of subtitles is refused', async () => {
  server.put({ 'large.srt': new Uint8Array(2 * 1024 * 1024 + 1) })
  expect(await statusOf(alice('/api/subtitle/large.srt'))).toBe(413)
})

test('subtitles need the permission to download and obey rules', async () => {
  expect(await statusOf((await server.as('bob'))('/api/subtitle/a.srt'))).toBe(202)
  const ruled = await server.as('ruled')
  for (const path of ['denied/a.srt', 'denied/none.srt'])
    expect(await statusOf(ruled(`/api/subtitle/${path}`))).toBe(403)
})
