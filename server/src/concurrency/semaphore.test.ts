import { expect, test } from 'bun:test'
import { semaphore } from './semaphore.ts'

test('no more run at once than there are permits, in the order of the calls, also when some fail', async () => {
  const places = semaphore(2)
  const order: number[] = []
  let [running, most] = [0, 0]
  const work = async (number: number) => {
    order.push(number)
    running += 1
    most = Math.max(most, running)
    await new Promise((resolve) => setImmediate(resolve))
    running -= 1
    if (number === 2) throw new Error('broken')
    return number
  }
  const all = await Promise.allSettled([1, 2, 3, 4, 5].map((number) => places.run(() => work(number))))
  expect(all.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, true, true])
  expect([most, order]).toEqual([2, [1, 2, 3, 4, 5]])
})

test('a caller whose signal aborts stops waiting, and its permit goes to the next', async () => {
  const places = semaphore(1)
  const [held, left] = [Promise.withResolvers<string>(), new AbortController()]
  const first = places.run(() => held.promise)
  let begun = false
  const second = places.run(async () => {
    begun = true
  }, left.signal)
  const third = places.run(async () => 'third')
  left.abort(new Error('gone'))
  expect((await Promise.allSettled([second]))[0]?.status).toBe('rejected')
  held.resolve('first')
  expect([await first, await third, begun]).toEqual(['first', 'third', false])
})
