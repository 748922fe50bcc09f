import { expect, test } from 'bun:test'
import { parseSize, writeSize } from './chunk-size.ts'

test.each([
  ['10MB', 10 * 1024 ** 2],
  ['10mb', 10 * 1024 ** 2],
  [' 10 M ', 10 * 1024 ** 2],
  ['512', 512],
  ['512B', 512],
  ['4k', 4096],
  ['4KB', 4096],
  ['1.5MB', 1_572_864],
  ['2G', 2 * 1024 ** 3],
  ['2gb', 2 * 1024 ** 3],
  ['1T', 1024 ** 4],
  ['1TB', 1024 ** 4],
])('%s is a size', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes)
})

test.each(['', 'MB', 'ten', '10 XB', '-1MB', '0', '0MB', '1e3', '10MBs', '1.2.3K', '99999999TB'])(
  '%p is none',
  (text) => {
    expect(parseSize(text)).toBeNull()
  },
)

test.each([
  [10_485_760, '10MB'],
  [1_572_864, '1536KB'],
  [1000, '1000B'],
  [1024 ** 4, '1TB'],
  [1024 ** 5, '1024TB'],
])('%d is written and read back without loss', (bytes, text) => {
  expect(writeSize(bytes)).toBe(text)
  expect(parseSize(text)).toBe(bytes)
})
