import { expect, test } from 'bun:test'
import { nameProblem, stemLength } from './name-problem.ts'

const isTaken = (name: string) => name === 'taken.txt'

test.each([
  ['taken.txt', 'nameTaken'],
  ['a/b', 'nameHasSlash'],
  ['.', 'nameIsDots'],
  ['..', 'nameIsDots'],
  ['...', null],
  ['.hidden', null],
  ['x'.repeat(255), null],
  ['x'.repeat(256), 'nameTooLong'],
  // Counted as the disk counts: in bytes.
  ['ü'.repeat(127), null],
  ['ü'.repeat(128), 'nameTooLong'],
  ['', null],
] as const)('what is wrong with %p', (name, problem) => {
  expect(nameProblem(name, isTaken)).toBe(problem)
})

test.each([
  ['letter.txt', false, 6],
  ['archive.tar.gz', false, 11],
  ['README', false, 6],
  ['.bashrc', false, 7],
  ['version 1.2', true, 11],
] as const)('renaming %p selects its stem', (name, isDir, length) => {
  expect(stemLength(name, isDir)).toBe(length)
})
