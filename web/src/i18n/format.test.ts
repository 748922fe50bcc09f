import { expect, test } from 'bun:test'
import { formatDay, formatExact, formatPercent, formatRelative, formatRoughSize, formatSize } from './format.ts'

test('binary sizes have two digits at most, and never a full 1024 of a unit', () => {
  expect(formatSize(163)).toBe('163 B')
  expect(formatSize(631_296)).toBe('616.5 KiB')
  expect(formatSize(1_048_575)).toBe('1 MiB')
  expect(formatSize(2 ** 70)).toBe('1,048,576 PiB')
  expect(formatRoughSize(22_441_000_000)).toBe('20.9 GiB')
})

test('percentages are whole', () => {
  expect(formatPercent(0.4217)).toBe('42%')
})

test('times are told in the unit that fits', () => {
  const now = new Date('2026-05-01T12:00:00Z')
  const ago = (seconds: number) => formatRelative(new Date(now.getTime() - seconds * 1000), now)
  expect(ago(0)).toBe('now')
  expect(ago(7200)).toBe('2 hours ago')
  expect(ago(86_400)).toBe('yesterday')
  expect(ago(-3 * 86_400)).toBe('in 3 days')
  expect(ago(400 * 86_400)).toBe('last year')
})

test('an exact date has the year in four digits', () => {
  expect(formatExact(new Date(2026, 4, 1, 14, 30))).toMatch(/^05\/01\/2026, 2:30\sPM$/)
})

test('what has no time is given none', () => {
  expect([formatExact(new Date(0)), formatRelative(new Date(0))]).toEqual(['—', '—'])
})

test('a day has its time if that is near, and its year if that is another one', () => {
  const now = new Date(2026, 10, 16, 9, 0)
  expect(formatDay(new Date(2026, 10, 22, 15, 5), now)).toBe('Nov 22')
  expect(formatDay(new Date(2026, 10, 17, 15, 5), now)).toMatch(/^Nov 17, 3:05\sPM$/)
  expect(formatDay(new Date(2026, 10, 15, 15, 5), now)).toMatch(/^Nov 15, 3:05\sPM$/)
  expect(formatDay(new Date(2026, 10, 12, 15, 5), now)).toBe('Nov 12')
  expect(formatDay(new Date(2027, 2, 1), now)).toBe('Mar 1, 2027')
})
