import { expect, test } from 'bun:test'
import { parseAss } from './ass.ts'
import { parseTime, toWebVtt } from './cues.ts'
import { parseSrt } from './srt.ts'
import { decodeText } from './webvtt.ts'

test.each([
  ['00:00:01,500', 1500],
  ['1:02:03.4', 3_723_400],
  ['02:03', 123_000],
  [' 00:00:01.123456 ', 1123],
  ['100:00:00,000', 360_000_000],
  ['x', undefined],
  ['00:00:01,', undefined],
])('parseTime reads %p as %p milliseconds', (text, time) => {
  expect(parseTime(text)).toBe(time)
})

const cue = (text: string) => `1\n00:00:01,000 --> 00:00:02,000\n${text}\n`

test.each([
  ['plain', ['plain']],
  ['a<br>b<BR />c', ['a', 'b', 'c']],
  ['<font color="red">red</font> <B>bold</B>', ['red <b>bold</b>']],
  ['{\\an8}on top', ['on top']],
  ['1 < 2 & 3 --> 4', ['1 &lt; 2 &amp; 3 --&gt; 4']],
  ['&amp; &lt;', ['&amp; &lt;']],
  ['one\n\ntwo', ['one', 'two']],
  ['<script>x</script>', ['x']],
])('parseSrt turns the text %p into %p', async (text, lines) => {
  expect(await parseSrt(cue(text))).toEqual([{ start: 1000, end: 2000, lines }])
})

test('parseSrt separates cues without blank lines or numbers between them', async () => {
  const text =
    '00:00:01,000 --> 00:00:02,000\na\n00:00:03,000 --> 00:00:04,000 X1:5 Y1:6\nb\n3\n00:00:05,000 --> 00:00:06,000\nc'
  expect((await parseSrt(text)).map(({ lines }) => lines)).toEqual([['a'], ['b'], ['c']])
})

test('parseSrt reads what toWebVtt wrote', async () => {
  const once = await toWebVtt(await parseSrt(cue('a\nb')))
  expect(await toWebVtt(await parseSrt(once))).toBe(once)
})

test('parseAss finds fields in another order', async () => {
  const text = '[Events]\nFormat: Marked, End, Start, Text\nDialogue: Marked=0,0:00:02.00,0:00:01.00,a, b\\hc\\nd\n'
  expect(await parseAss(text)).toEqual([{ start: 1000, end: 2000, lines: ['a, b c', 'd'] }])
})

test('parseAss ignores lines outside of the events', async () => {
  expect(await parseAss('Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,x')).toEqual([])
})

// A parser of quadratic time would take hours: the runner gives up long before.
test.each(['{\\', '<a', '<br', '&', '1:', '-->', '{\\p1'])(
  'the parsers take ten megabytes of %p in linear time',
  async (piece) => {
    const text = piece.repeat(Math.ceil(10_000_000 / piece.length))
    expect((await parseSrt(cue(text))).length).toBeLessThan(3)
    expect((await parseAss(`[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,${text}`)).length).toBeLessThan(
      3,
    )
  },
)

test('decodeText goes by the byte order mark, then UTF-8, then a guess', () => {
  expect(decodeText(Buffer.from('\ufeffü'))).toBe('ü')
  expect(decodeText(Buffer.from('\ufeffü', 'utf16le'))).toBe('ü')
  expect(decodeText(Buffer.from('\ufeffü', 'utf16le').swap16())).toBe('ü')
  expect(decodeText(Buffer.from('Grüße', 'latin1'))).toBe('Grüße')
  expect(decodeText(Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]))).toBe('Привет')
})

// In quadratic time these would take hours, and the runner gives up before.
test.each([
  ['marks that are never closed', `[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,,,,,,,{${'\\p1'.repeat(300_000)}`],
  ['very many fields', `[Events]\nFormat: ${','.repeat(1_000_000)}\n${'Dialogue: 0,1,2\n'.repeat(100_000)}`],
])('parseAss takes %s in linear time', async (_, text) => {
  expect((await parseAss(text)).length).toBeLessThan(2)
})

test('the parsers and the writer pause between lines', async () => {
  let pauses = 0
  const pause = () => {
    pauses += 1
    return undefined
  }
  const cues = await parseSrt(cue('a').repeat(100), pause)
  expect(pauses).toBeGreaterThan(300)
  pauses = 0
  await toWebVtt(cues, pause)
  expect(pauses).toBe(100)
  await parseAss('[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,x\n'.repeat(100), pause)
  expect(pauses).toBeGreaterThan(250)
})
