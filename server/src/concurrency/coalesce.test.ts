import { expect, test } from 'bun:test'
import { coalesce } from './coalesce.ts'

test('calls during a run share the next run, and none shares one that began before the call', async () => {
  const runs: PromiseWithResolvers<void>[] = []
  const sync = coalesce(() => {
    const run = Promise.withResolvers<void>()
    runs.push(run)
    return run.promise
  })
  const first = sync()
  const others = Array.from({ length: 10 }, () => sync())
  expect(runs).toHaveLength(1)
  runs[0]?.resolve()
  await first
  await Promise.resolve()
  expect(runs).toHaveLength(2)
  const late = sync()
  runs[1]?.reject(new Error('broken'))
  expect(await Promise.allSettled(others)).toEqual(
    Array.from({ length: 10 }, () => ({ status: 'rejected', reason: expect.any(Error) })),
  )
  await Promise.resolve()
  expect(runs).toHaveLength(3)
  runs[2]?.resolve()
  await late
})
