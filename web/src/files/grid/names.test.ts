import { expect, test } from 'bun:test'
import { isDimmed } from './names.ts'

test('hidden files and left-over copies stand back', () => {
  expect(['.env', 'a.BAK', 'a.txt'].map(isDimmed)).toEqual([true, true, false])
})
