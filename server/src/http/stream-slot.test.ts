import { expect, test } from 'bun:test'
import { limitOf } from '../concurrency/limit.ts'
import { acquireStreamSlot, holdingSlot } from './stream-slot.ts'

test('a stream that fails releases its slot and is reported once', async () => {
  const limit = limitOf({ what: 'tests', most: 1, mostPerKey: 1, mostWaiting: 1, mostWaitingPerKey: 1 })
  const reported: unknown[] = []
  const broken = new Error('EIO')
  async function* chunks() {
    yield 'first'
    throw broken
  }
  const context = { request: new Request('http://unknown/'), report: (error: unknown) => void reported.push(error) }
  const held = holdingSlot(chunks(), await acquireStreamSlot(limit, 'ann', context))
  expect((await held.next()).value).toBe('first')
  const outcome = await held.next().catch((error: unknown) => error)
  expect([outcome, reported]).toEqual([broken, [broken]])
  expect(limit.tryEnter('ann')).toBeDefined()
})
