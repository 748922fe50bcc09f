import { expect, test } from 'bun:test'
import {
  formatDecimal,
  formatExact,
  formatMegabytes,
  formatPercent,
  formatRelative,
  formatRoughSize,
  formatSize,
  formatSpeed,
} from './format.ts'

test('binary sizes have two digits at most, and never a full 1024 of a unit', () => {
  expect(formatSize(163)).toBe('163 B')
  expect(formatSize(631_296)).toBe('616.5 KiB')
  expect(formatSize(1_048_575)).toBe('1 MiB')
  expect(formatSize(2 ** 70)).toBe('1,048,576 PiB')
  expect(formatRoughSize(22_441_000_000)).toBe('20.9 GiB')
})

test('uploads are counted in decimal units', () => {
  expect(formatMegabytes(7_140_000)).toBe('7.14 MB')
  expect(formatSpeed(788_930)).toBe('788.93 KB/s')
  expect(formatSpeed(18_400_000)).toBe('18.4 MB/s')
  expect(formatDecimal(999)).toBe('999 B')
  expect(formatDecimal(999_600)).toBe('1 MB')
  expect(formatDecimal(25_340)).toBe('25.3 KB')
})

test('percentages have the digits that are asked for', () => {
  expect(formatPercent(0.42)).toBe('42%')
  expect(formatPercent(0.4217, 2)).toBe('42.17%')
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
