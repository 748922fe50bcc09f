import { expect, test } from 'bun:test'
import { failureMemory } from './failure-memory.ts'

test('failureMemory remembers a failed version for a while', () => {
  let now = 0
  const failures = failureMemory(100, () => now)
  failures.add('a')
  now = 99
  expect([failures.has('a'), failures.has('b')]).toEqual([true, false])
  now = 100
  expect(failures.has('a')).toBe(false)
})

test('failureMemory keeps the newest thousand versions', () => {
  const failures = failureMemory()
  for (let count = 0; count <= 1000; count += 1) failures.add(String(count))
  expect(['0', '1', '1000'].map(failures.has)).toEqual([false, true, true])
})
