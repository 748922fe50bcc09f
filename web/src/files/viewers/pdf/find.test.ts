import { expect, test } from 'bun:test'
import { occurrencesOf } from './find.ts'

test('a text is found wherever it occurs, in upper and lower case', () => {
  expect(occurrencesOf('page', 'First Page, second page')).toEqual([6, 19])
  expect(occurrencesOf('aa', 'aaaa')).toEqual([0, 2])
  expect(occurrencesOf('', 'abc')).toEqual([])
})

test('letters that become longer in lower case leave the places as they are', () => {
  expect(occurrencesOf('x', 'İİx')).toEqual([2])
})
