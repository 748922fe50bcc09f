import { expect, test } from 'bun:test'
import { matchScore } from './match.ts'

test('a closer match has the higher score', () => {
  const scores = ['Rename', 'Rename all', 'To rename', 'Prename', 'Re name', 'Delete'].map((label) =>
    matchScore('rename', label),
  )
  expect(scores).toEqual([5, 4, 3, 2, 1, 0])
})

test.each([
  ['nf', 'New folder'],
  ['new fol', 'New folder'],
  ['newfolder', 'New folder'],
  ['renme', 'Rename'],
  ['LOSCHEN', 'Löschen'],
  ['переим', 'Переименовать'],
  ['重命', '重命名'],
])('%s finds %s', (typed, label) => {
  expect(matchScore(typed, label)).toBeGreaterThan(0)
})

test.each([
  ['harz', 'Share'],
  ['report', 'Rename'],
  ['old', 'New folder'.replace('old', 'lod')],
  ['n w', 'Rename'],
])('%s does not find %s', (typed, label) => {
  expect(matchScore(typed, label)).toBe(0)
})

test('nothing typed fits everything', () => {
  expect(matchScore(' ', 'Rename')).toBeGreaterThan(0)
})
