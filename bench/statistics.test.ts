import { expect, test } from 'bun:test'
import { median, ratioOf } from './statistics.ts'

test('the median is the middle value, or the mean of the middle two', () => {
  expect(median([9, 1, 5])).toBe(5)
  expect(median([10, 9, 1, 4])).toBe(6.5)
  expect(median([])).toBeNaN()
})

test('a round that was slow for both sides does not change the ratio', () => {
  expect(ratioOf({ samples: [20, 200, 22], references: [10, 100, 10] })).toBe(2)
})
