import { expect, test } from 'bun:test'
import { decodeText, encodeText, lineBreakOf } from './text-file.ts'

const bytes = (...values: number[]) => new Uint8Array(values)

test.each([
  ['plain UTF-8', new TextEncoder().encode('grüße\n'), 'utf-8'],
  ['UTF-8 with a mark', new TextEncoder().encode('\uFEFFgrüße\r\n'), 'utf-8'],
  ['UTF-16, little end first', bytes(0xff, 0xfe, 0x41, 0, 0x0a, 0), 'utf-16le'],
  ['UTF-16, big end first', bytes(0xfe, 0xff, 0, 0x41, 0, 0x0a), 'utf-16be'],
  ['an old western text', bytes(0x67, 0x72, 0xfc, 0xdf, 0x65, 0x80), 'windows-1252'],
])('%s comes back byte for byte', (_, original, encoding) => {
  const file = decodeText(original)
  expect(file.encoding).toBe(encoding)
  expect(encodeText(file.text, file)).toEqual(original)
})

test.each(['shift_jis', 'gbk', 'big5', 'euc-kr', 'koi8-r', 'windows-1251'])(
  '%s can be written as it was read',
  (encoding) => {
    const samples: Record<string, Uint8Array<ArrayBuffer>> = {
      shift_jis: bytes(0x93, 0xfa, 0x96, 0x7b, 0xb1),
      gbk: bytes(0xd6, 0xd0, 0xce, 0xc4),
      big5: bytes(0xa4, 0xa4, 0xa4, 0xe5),
      'euc-kr': bytes(0xc7, 0xd1, 0xb1, 0xdb),
      'koi8-r': bytes(0xd2, 0xd5, 0xd3),
      'windows-1251': bytes(0xf0, 0xf3, 0xf1),
    }
    const original = samples[encoding] ?? bytes()
    const file = decodeText(original, encoding)
    expect(file.text).not.toContain('\uFFFD')
    expect(encodeText(file.text, file)).toEqual(original)
  },
)

test('a character without a place in the encoding is not written as something else', () => {
  expect(encodeText('snow ☃', { encoding: 'windows-1252', hasByteOrderMark: false })).toBeNull()
})

test('line breaks are told apart, and a mixture is left as it is', () => {
  expect(lineBreakOf('a\nb')).toBe('\n')
  expect(lineBreakOf('a\r\nb\r\n')).toBe('\r\n')
  expect(lineBreakOf('a\rb')).toBe('\r')
  expect(lineBreakOf('a\r\nb\nc')).toBe('\n')
  expect(lineBreakOf('')).toBe('\n')
})
