import { expect, test } from 'bun:test'
import { spread } from './spread.ts'

test('labels that are far enough apart stay where they are', () => {
  expect(spread([100, 20, 60], 10, 0, 200)).toEqual([100, 20, 60])
})

test('labels at one place are spread around it in their order', () => {
  expect(spread([50, 50, 50], 10, 0, 200)).toEqual([40, 50, 60])
  expect(spread([51, 49], 10, 0, 200)).toEqual([55, 45])
})

test('a block that grows into the next one takes it along', () => {
  const places = spread([50, 50, 62, 61], 10, 0, 200).toSorted((a, b) => a - b)
  for (const [rank, place] of places.entries()) {
    if (rank > 0) expect(place - (places[rank - 1] ?? 0)).toBeGreaterThanOrEqual(10 - 1e-9)
  }
})

test('nothing leaves the borders', () => {
  expect(spread([199, 199, 199], 10, 0, 200)).toEqual([180, 190, 200])
  expect(spread([1, 1], 10, 0, 200)).toEqual([0, 10])
})
