import { expect, test } from 'bun:test'
import { toBytes, toDuration, toRatio, toSize } from './words.ts'

test('durations are read without counting zeros', () => {
  expect([0.0512, 1, 12.34, 456.7, 1000, 12_345].map(toDuration)).toEqual([
    '0.051 ms',
    '1 ms',
    '12 ms',
    '457 ms',
    '1 s',
    '12 s',
  ])
})

test('sizes have the unit that fits', () => {
  expect([1, 1e3, 1e5, 1e6, 4e9].map(toBytes)).toEqual(['1 bytes', '1 KB', '100 KB', '1 MB', '4 GB'])
  expect(toSize(100_000, 'entries')).toBe('100,000')
  expect(toSize(1_000_000, 'entries')).toBe('1 million')
})

test('a ratio has two figures', () => {
  expect([0.0521, 1, 2.345, 123.4].map(toRatio)).toEqual(['0.052×', '1×', '2.3×', '123×'])
})
