import { expect, test } from 'bun:test'
import type { Job } from '@filestead/contract'
import { outcomeOf, together } from './outcome.ts'

const items = ['/a', '/b', '/c'].map((path) => ({ path }))

const job = (more: Partial<Job>): Job => ({
  id: 'one',
  kind: 'move',
  state: 'done',
  names: ['a', 'b', 'c'],
  count: 3,
  finished: 3,
  done: { files: 3, bytes: 0 },
  failures: [],
  conflicts: [],
  renamed: [],
  skipped: 0,
  createdAt: 0,
  ...more,
})

const pathsOf = (list: readonly { path: string }[]) => list.map(({ path }) => path)
const failure = (path: string, code = 'forbidden') => ({ path, code, message: code })
const outcomeFor = (more: Partial<Job>, wasLost = false) => outcomeOf({ items, job: job(more), by: 'user', wasLost })

test('a job that is done has done all, under the names that it tells', () => {
  const outcome = outcomeFor({ renamed: [{ from: '/b', to: '/box/b(1)' }] })
  expect([pathsOf(outcome.done), outcome.isCertain]).toEqual([['/a', '/b', '/c'], true])
  expect(outcome.arrived.get('/b')).toBe('/box/b(1)')
})

test('an entry has failed where something below it has, and the others are done', () => {
  const { done, failed, isCertain } = outcomeFor({ state: 'failed', failures: [failure('/b/deep/x')] })
  expect([pathsOf(done), pathsOf(failed.map(({ item }) => item)), isCertain]).toEqual([['/a', '/c'], ['/b'], true])
  expect(failed[0]?.error).toMatchObject({ code: 'forbidden' })
})

test('of a job that was cancelled the number is known, and not which', () => {
  const { done, left, isCertain } = outcomeFor({ state: 'cancelled', finished: 1 })
  expect([done.length, left.length, isCertain]).toEqual([1, 2, false])
})

test('what was left out is no part of what was done, and it is not known which', () => {
  const { done, skipped, isCertain } = outcomeFor({ skipped: 2 })
  expect([done.length, skipped, isCertain]).toEqual([1, 2, false])
})

test('a job that failed as a whole has failed for all that was not finished', () => {
  const problem = { code: 'no-space', message: 'full' }
  const { done, failed, isCertain } = outcomeFor({ state: 'failed', finished: 1, problem })
  expect([pathsOf(done), failed.length, isCertain]).toEqual([['/a'], 2, false])
  expect(failed[0]?.error).toMatchObject({ code: 'no-space' })
})

test('with a hundred failures there may be more', () => {
  const failures = Array.from({ length: 100 }, (_, index) => failure(`/b/${index}`))
  expect(outcomeFor({ state: 'failed', failures }).isCertain).toBe(false)
})

test('what the first try has moved, whose answer was lost, is done; a copy of what is gone is not', () => {
  const gone: Partial<Job> = { state: 'failed', failures: [failure('/b', 'not-found')] }
  expect(outcomeFor(gone, true).failed).toEqual([])
  expect(outcomeFor(gone, false).failed).toHaveLength(1)
  expect(outcomeFor({ ...gone, kind: 'copy' }, true).failed).toHaveLength(1)
})

test('the outcomes of several jobs are one', () => {
  const both = together([outcomeFor({}), outcomeFor({ state: 'cancelled', finished: 1 })], 'background')
  expect([both.done.length, both.left.length, both.isCertain, both.by]).toEqual([4, 2, false, 'background'])
})
