import { expect, test } from 'bun:test'
import { formatDuration, formatSpeed } from './pace.ts'

test('a speed is told in the units of sizes, in three digits', () => {
  expect(formatSpeed(788_930)).toBe('770 KiB/s')
  expect(formatSpeed(18_400_000)).toBe('17.5 MiB/s')
})

test('the time that is left has no more precision than it can keep', () => {
  expect([0.2, 6, 33, 60, 61, 3600, 3900, 40_000].map(formatDuration)).toEqual([
    '1 sec',
    '6 sec',
    '35 sec',
    '1 min',
    '2 min',
    '1 hr',
    '1 hr 5 min',
    '11 hr',
  ])
})
