import { expect, test } from 'bun:test'
import { logScale, rangeAround, thinOut, ticksWithin } from './log-scale.ts'

test('equal factors are equal distances, in either direction', () => {
  const rising = logScale([1, 100], [0, 200])
  expect([1, 10, 100].map(rising)).toEqual([0, 100, 200])
  const falling = logScale([1, 100], [200, 0])
  expect(falling(10)).toBe(100)
})

test('a range leaves a border around the values and overlooks what cannot be drawn', () => {
  const [low, high] = rangeAround([2, 50, 0, Number.NaN])
  expect(low).toBeLessThan(2)
  expect(low).toBeGreaterThan(1)
  expect(high).toBeGreaterThan(50)
  expect(rangeAround([])).toEqual([1, 10])
})

test('ticks are powers of ten, and more where those are few', () => {
  expect(ticksWithin([0.05, 2000])).toEqual([0.1, 1, 10, 100, 1000])
  expect(ticksWithin([0.3, 12])).toEqual([0.5, 1, 2, 5, 10])
  expect(ticksWithin([3, 4])).toEqual([])
})

test('labels of ticks keep their distance', () => {
  expect(thinOut([1, 2, 4, 8, 16], (tick) => tick * 10, 35)).toEqual([1, 8, 16])
})
