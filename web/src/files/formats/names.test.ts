import { expect, test } from 'bun:test'
import { splitEnd, splitName, stemOf } from './names.ts'

test('splitName takes the last extension, and none of a name that starts with its only dot', () => {
  expect(splitName('.env')).toEqual(['.env', ''])
  expect(splitName('a.tar.gz')).toEqual(['a.tar', '.gz'])
  expect(splitName('README')).toEqual(['README', ''])
  expect(stemOf('walk.de.srt')).toBe('walk.de')
})

test('a long name keeps its end apart, and no letter is cut in two', () => {
  expect(splitEnd('notes')).toEqual(['notes', ''])
  expect(splitEnd('Rental agreement, version 3')).toEqual(['Rental agreement, v', 'ersion 3'])
  expect(splitEnd(`${'x'.repeat(20)}e\u03011234567`)[1]).toBe('e\u03011234567')
  const [start, end] = splitEnd(`${'x'.repeat(20)}\u{1f3e1}1234567`)
  expect(start.isWellFormed() && end.isWellFormed()).toBe(true)
  expect(start + end).toBe(`${'x'.repeat(20)}\u{1f3e1}1234567`)
})
