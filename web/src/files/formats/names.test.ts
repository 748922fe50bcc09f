import { expect, test } from 'bun:test'
import { splitName, stemOf } from './names.ts'

test('splitName takes the last extension, and none of a name that starts with its only dot', () => {
  expect(splitName('.env')).toEqual(['.env', ''])
  expect(splitName('a.tar.gz')).toEqual(['a.tar', '.gz'])
  expect(splitName('README')).toEqual(['README', ''])
  expect(stemOf('walk.de.srt')).toBe('walk.de')
})
