import { expect, test } from 'bun:test'
import { matcherOf } from '../storage/name-filter.ts'
import { filterOf } from './query.ts'

const names = [
  'Report.txt',
  'report-final.PDF',
  'Summer.jpg',
  'song.mp3',
  'film.mp4',
  'manual.pdf',
  'Äpfel.txt',
  'a b.svg',
]
const parseQuery = (query: string) => matcherOf(filterOf(query))
const found = (query: string) => names.filter(parseQuery(query))

test.each([
  ['report', ['Report.txt', 'report-final.PDF']],
  ['REPORT', ['Report.txt', 'report-final.PDF']],
  ['case:sensitive Report', ['Report.txt']],
  ['Report case:insensitive', ['Report.txt', 'report-final.PDF']],
  ['final report', ['report-final.PDF']],
  ['report  final', ['report-final.PDF']],
  ['"a b"', ['a b.svg']],
  ['"b a"', []],
  ['b a', ['a b.svg']],
  ['"', []],
  ['äpfel', ['Äpfel.txt']],
  ['ÄPFEL'.normalize('NFD'), ['Äpfel.txt']],
  ['type:image', ['Summer.jpg', 'a b.svg']],
  ['type:audio type:video', ['song.mp3', 'film.mp4']],
  ['type:music', ['song.mp3']],
  ['type:pdf', ['manual.pdf']],
  ['type:image summer', ['Summer.jpg']],
  ['"type:image"', []],
  ['type:final.PDF type:x', []],
  ['type:PDF type:image', ['report-final.PDF', 'Summer.jpg', 'a b.svg']],
  ['report re rep e', ['Report.txt', 'report-final.PDF']],
  ['rep ort/x', []],
  ['x/a b/x a/b', []],
  ['type:', []],
  ['type:constructor', []],
  ['zzz', []],
  ['', names],
])('%p finds %p', (query, expected) => {
  expect(found(query)).toEqual(expected)
})

test('a query finds a name in another Unicode normal form', () => {
  expect(parseQuery('übung')('Übung'.normalize('NFD'))).toBe(true)
  expect(parseQuery('case:sensitive übung')('Übung')).toBe(false)
})

test('a query of ten thousand words is matched in linear time', () => {
  const matches = parseQuery(Array.from({ length: 10_000 }, (_, at) => `w${at}`).join(' '))
  // Each name against each word would take minutes, and the runner gives up before.
  let found = 0
  for (let at = 0; at < 200_000; at += 1) if (matches(`name ${at}`)) found += 1
  expect(found).toBe(0)
})

test('a query of thousands of types is matched in linear time', () => {
  const types = Array.from({ length: 10_000 }, (_, at) => `type:w${at}`)
  const matches = parseQuery(['type:image', ...types, 'type:tar.gz', ...types.map(() => 'type:image')].join(' '))
  // Each name against each type would take minutes, and the runner gives up before.
  let found = 0
  for (let at = 0; at < 200_000; at += 1) if (matches(`name ${at}.x.tar.gz.${at % 2 === 0 ? 'png' : 'txt'}`)) found += 1
  expect([found, matches('a.b.tar.gz'), matches('tar.gz')]).toEqual([100_000, true, false])
})

test('of words that all occur in one name only so many are compared', () => {
  const name = Array.from({ length: 250 }, (_, at) => String.fromCharCode(0x4e00 + at)).join('')
  const parts = [1, 2, 3, 4, 5].flatMap((length) =>
    Array.from({ length: name.length - length + 1 }, (_, at) => name.slice(at, at + length)),
  )
  const { words } = filterOf(parts.join(' '))
  expect(words).toHaveLength(246)
  expect(parseQuery(parts.join(' '))(name)).toBe(true)
  // A part of a letter that is written as two is none.
  expect(filterOf('e \u0065\u0301').words).toHaveLength(2)
})
