import { expect, test } from 'bun:test'
import { thinned } from './thinning.ts'

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000]
const now = 1_800_000_000_000

/** Versions of so many milliseconds ago; answers the ages that stay. */
const left = (ages: readonly number[]): number[] => {
  const versions = ages.map((age) => ({ id: String(age), keptAt: now - age }))
  const gone = new Set(thinned(versions, now))
  return ages.filter((age) => !gone.has(String(age)))
}

const every = (step: number, from: number, to: number): number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step)

test.each([
  { name: 'the first ten seconds', ages: every(second, 0, 10 * second), every: 2 * second },
  { name: 'the first minute', ages: every(second, 11 * second, minute), every: 10 * second },
  { name: 'the first hour', ages: every(10 * second, 2 * minute, hour), every: minute },
  { name: 'the first day', ages: every(10 * minute, 2 * hour, day), every: hour },
  { name: 'thirty days', ages: every(2 * hour, 2 * day, 30 * day), every: day },
  { name: 'later times', ages: every(day, 40 * day, 300 * day), every: 7 * day },
])('versions of $name are no closer to each other than they may be, and not thinned out further', (each) => {
  const stay = left(each.ages)
  const gaps = stay.slice(1).map((age, index) => age - (stay[index] ?? 0))
  expect(Math.min(...gaps)).toBe(each.every)
  expect(Math.max(...gaps)).toBe(each.every)
})

test('the newest version stays, however old it is, and so does a single one', () => {
  expect(left([400 * day, 400 * day + second])).toEqual([400 * day])
  expect(left([5 * second])).toEqual([5 * second])
  expect(thinned([], now)).toEqual([])
})

test('thinning out twice ends nothing more', () => {
  const once = left(every(30 * minute, 0, 60 * day))
  expect(left(once)).toEqual(once)
})

test('versions of the future count as those of now', () => {
  expect(left([-400 * day, -second, 3 * second])).toEqual([-400 * day, 3 * second])
})
