import { expect, test } from 'bun:test'
import { isDimmed, splitName } from './names.ts'

test('a name that starts with its only dot has no extension to stand back', () => {
  expect(splitName('.env')).toEqual(['.env', ''])
  expect(splitName('a.tar.gz')).toEqual(['a.tar', '.gz'])
  expect(splitName('README')).toEqual(['README', ''])
})

test('hidden files and left-over copies stand back', () => {
  expect(['.env', 'a.BAK', 'a.txt'].map(isDimmed)).toEqual([true, true, false])
})
