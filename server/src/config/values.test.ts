import { describe, expect, test } from 'bun:test'
import type { z } from 'zod'
import { Amount, Choice, Duration, FilledText, List, Mode, parseDuration, Switch, Text, Whole } from './values.ts'

const reading = (schema: z.ZodType, raw: unknown): unknown => {
  const parsed = schema.safeParse(raw)
  return parsed.success ? parsed.data : 'refused'
}

test.each([
  ...['true', 'TRUE', 'True', 't', '1', 'yes', 'on', 1, true].map((raw) => [raw, true] as const),
  ...['false', 'FALSE', 'f', 'F', '0', 'no', 'off', 0, false].map((raw) => [raw, false] as const),
  ...['', 'maybe', '2', 2, null, []].map((raw) => [raw, 'refused'] as const),
])('a switch reads %j as %j', (raw, value) => {
  expect(reading(Switch, raw)).toBe(value)
})

test.each([
  ['2h', 7200],
  ['90m', 5400],
  ['1h30m', 5400],
  ['1m30s', 90],
  ['.5h', 1800],
  ['500ms', 0.5],
  ['250us', 0.00025],
  ['0', 0],
  ['', undefined],
  ['60', undefined],
  ['1 h', undefined],
  ['-1h', undefined],
  ['2x', undefined],
  ['h', undefined],
])('the time span %j is %j seconds', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds)
})

test.each([
  ['60s', 60],
  ['60', 60],
  [60, 60],
  ['0s', 'refused'],
  ['0', 'refused'],
  ['soon', 'refused'],
  [1.5, 'refused'],
])('a time limit of %j is %j', (raw, seconds) => {
  expect(reading(Duration, raw)).toBe(seconds)
})

test.each([
  ['1GB', 1_000_000_000],
  ['1gb', 1_000_000_000],
  ['1GiB', 1_073_741_824],
  ['64 MiB', 67_108_864],
  ['100M', 100_000_000],
  ['1.5k', 1500],
  ['0', 0],
  [10_485_760, 10_485_760],
  ['', 'refused'],
  ['GB', 'refused'],
  ['-1', 'refused'],
  ['1PB', 'refused'],
  ['99999999T', 'refused'],
])('the amount %j is %j', (raw, amount) => {
  expect(reading(Amount, raw)).toBe(amount)
})

test.each([
  ['0640', 0o640],
  ['0o640', 0o640],
  ['640', 0o640],
  ['02770', 0o2770],
  [0o640, 0o640],
  // A file whose author wrote 0640 without quotes.
  [640, 'refused'],
  ['64', 'refused'],
  ['0888', 'refused'],
  ['rw-r-----', 'refused'],
  ['', 'refused'],
])('the mode %j is %j', (raw, mode) => {
  expect(reading(Mode, raw)).toBe(mode)
})

describe('whole numbers', () => {
  test.each([
    ['0', 0],
    ['65535', 65_535],
    [8080, 8080],
    ['65536', 'refused'],
    ['-1', 'refused'],
    ['', 'refused'],
    [' 80', 'refused'],
    ['0x50', 'refused'],
    ['8e3', 'refused'],
    [80.5, 'refused'],
    [true, 'refused'],
  ])('%j is read as %j', (raw, value) => {
    expect(reading(Whole(0, 65_535), raw)).toBe(value)
  })
})

test.each([
  [Text, 80, '80'],
  [Text, '', ''],
  [Text, true, 'refused'],
  [Text, { a: 1 }, 'refused'],
  [FilledText, '', 'refused'],
  [Choice(['list', 'mosaic']), 'mosaic', 'mosaic'],
  [Choice(['list', 'mosaic']), 'Mosaic', 'refused'],
])('text %#: %j %j', (schema, raw, value) => {
  expect(reading(schema, raw)).toBe(value)
})

test('a list is cut at its commas', () => {
  expect(reading(List, ' git, ls,,')).toEqual(['git', 'ls'])
  expect(reading(List, '')).toEqual([])
})
