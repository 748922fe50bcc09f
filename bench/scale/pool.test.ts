import { expect, test } from 'bun:test'
import { simulatePool, waitingShare } from './pool.ts'

const queries = 200_000

test.each([
  [1, 0.5],
  [10, 0.7],
  [10, 0.9],
  [40, 0.9],
])('%d connections that are busy by %d wait as the formula says', (connections, use) => {
  const { waiting, mean } = simulatePool({ connections, use, queries, seed: 1 })
  const share = waitingShare(connections, use)
  expect(Math.abs(waiting / share - 1)).toBeLessThan(0.05)
  expect(Math.abs(mean / (share / (connections * (1 - use))) - 1)).toBeLessThan(0.1)
})

test('one connection is busy for as many as wait', () => {
  expect(waitingShare(1, 0.3)).toBeCloseTo(0.3)
})

test('the same seed gives the same waits', () => {
  const load = { connections: 3, use: 0.8, queries: 1000 }
  expect(simulatePool({ ...load, seed: 7 })).toEqual(simulatePool({ ...load, seed: 7 }))
  expect(simulatePool({ ...load, seed: 8 })).not.toEqual(simulatePool({ ...load, seed: 7 }))
})
