import { expect, test } from 'bun:test'
import { guessEncoding } from './encodings.ts'

test.each<[number[], string]>([
  [[0xff, 0xfe, 0x61, 0], 'utf-16le'],
  [[0xfe, 0xff, 0, 0x61], 'utf-16be'],
  [[0x61, 0xc3, 0xa4], 'utf-8'],
  [[], 'utf-8'],
  [[0x61, 0xe4], 'windows-1252'],
])('the encoding of %j is %s', (bytes, encoding) => {
  expect(guessEncoding(Uint8Array.from(bytes))).toBe(encoding as 'utf-8')
})
