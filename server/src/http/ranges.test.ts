import { expect, test } from 'bun:test'
import { rangeIn } from './ranges.ts'

test.each([
  ['bytes=2-5', { start: 2, end: 6 }],
  ['bytes=10-', { start: 10, end: 16 }],
  ['bytes=12-99', { start: 12, end: 16 }],
  ['bytes=-4', { start: 12, end: 16 }],
  ['bytes=-99', { start: 0, end: 16 }],
  ['bytes=50-60', 'none'],
  ['bytes=16-', 'none'],
  ['bytes=-0', 'none'],
  ['bytes=5-2', 'none'],
  ['bytes=0-1,4-5', 'all'],
  ['bytes=-', 'none'],
  ['bytes= 2 - 5 ', { start: 2, end: 6 }],
  ['bytes= - 4', { start: 12, end: 16 }],
  ['lines=1-2', 'all'],
  ['bytes=a-b', 'none'],
  [null, 'all'],
])('%p of 16 bytes', (header, expected) => {
  expect<unknown>(rangeIn(header, 16)).toEqual(expected)
})

test('an empty file has no pieces, so it comes as a whole', () => {
  for (const header of ['bytes=0-0', 'bytes=0-', 'bytes=-5']) expect(rangeIn(header, 0)).toBe('all')
})

// Tried from every blank, these would take minutes, and the runner gives up before.
test.each(['bytes=', 'bytes=-'])('%s with very many blanks comes to an end', (start) => {
  expect(rangeIn(`${start}${' '.repeat(1_000_000)}x`, 16)).toBe('none')
})
