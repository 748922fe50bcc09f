import { expect, test } from 'bun:test'
import { parseQuery } from './query.ts'

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
