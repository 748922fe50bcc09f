import { expect, test } from 'bun:test'
import { cleanupOf } from './cleanup.ts'

test('a step that does not end keeps no other from its turn, and is not begun again before it is over', async () => {
  const begun: string[] = []
  const hanging = Promise.withResolvers<void>()
  const step = (name: string, work: () => Promise<void>) => () => {
    begun.push(name)
    return work()
  }
  const steps = { away: step('away', () => hanging.promise), near: step('near', async () => {}) }
  const tidying = cleanupOf(steps, { warn: () => {} }, { patience: 1 })
  await tidying.start()
  await tidying.start()
  expect(begun).toEqual(['away', 'near', 'near'])
  hanging.resolve()
  await hanging.promise
  await tidying.start()
  expect(begun).toEqual(['away', 'near', 'near', 'away', 'near'])
  tidying.stop()
})

test('a step that fails is told once', async () => {
  const told: unknown[] = []
  const fail = () => Promise.reject(new Error('full'))
  const tidying = cleanupOf({ drafts: fail }, { warn: (facts: unknown) => void told.push(facts) } as never)
  await tidying.start()
  await tidying.start()
  expect(told).toEqual([{ what: 'drafts', reason: 'Error: full' }])
  tidying.stop()
})

test('at the end of a round it is told which steps failed, hang or have been hanging since an earlier one', async () => {
  const told: (readonly string[])[] = []
  const hanging = Promise.withResolvers<void>()
  let fails = true
  const steps = {
    done: async () => {},
    away: () => hanging.promise,
    full: () => (fails ? Promise.reject(new Error('full')) : Promise.resolve()),
  }
  const unfinished = async (left: readonly string[]) => void told.push(left)
  const tidying = cleanupOf(steps, { warn: () => {} }, { patience: 1, unfinished })
  await tidying.start()
  fails = false
  await tidying.start()
  hanging.resolve()
  await hanging.promise
  await tidying.start()
  expect(told).toEqual([['away', 'full'], ['away']])
  tidying.stop()
})
