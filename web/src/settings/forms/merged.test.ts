import { expect, test } from 'bun:test'
import { merged } from './merged.ts'

test('what was added and removed here is, what another administrator did stays', () => {
  // Seen 1, 2, 3; removed 2 and added 9 here; 3 was removed and 7 added elsewhere.
  expect(merged([1, 2, 3], [1, 3, 9], [1, 2, 7])).toEqual([1, 7, 9])
})

test('without changes elsewhere the list is the edited one', () => {
  expect(merged([1, 2], [2, 5], [1, 2])).toEqual([2, 5])
  expect(merged([], [4], [])).toEqual([4])
})

test('one that was added on both sides is there once', () => {
  expect(merged([1], [1, 4], [1, 4])).toEqual([1, 4])
})
