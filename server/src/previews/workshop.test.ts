import { expect, test } from 'bun:test'
import { workshop } from './workshop.ts'

const stays = new AbortController().signal

test('only so many things are done at a time, in the order they were asked for', async () => {
  const produce = workshop<number>(2)
  const order: number[] = []
  let [busy, most] = [0, 0]
  const work = async (number: number) => {
    order.push(number)
    busy += 1
    most = Math.max(most, busy)
    await Bun.sleep(5)
    busy -= 1
    return number
  }
  const all = [1, 2, 3, 4, 5].map((number) => produce(String(number), stays, () => work(number)))
  expect(await Promise.all(all)).toEqual([1, 2, 3, 4, 5])
  expect(most).toBe(2)
  expect(order).toEqual([1, 2, 3, 4, 5])
})

test('the same thing is done once for all who ask meanwhile, and anew for those who ask later', async () => {
  const produce = workshop<number>(1)
  let count = 0
  const work = async () => {
    await Bun.sleep(5)
    count += 1
    return count
  }
  expect(await Promise.all([produce('a', stays, work), produce('a', stays, work)])).toEqual([1, 1])
  expect(await produce('a', stays, work)).toBe(2)
})

test('nothing is done for those who left while they waited', async () => {
  const produce = workshop<string>(1)
  const [left, alsoLeft] = [new AbortController(), new AbortController()]
  const first = produce('first', stays, () => Bun.sleep(10).then(() => 'first'))
  const alone = produce('alone', left.signal, async () => 'never')
  const together = [alsoLeft.signal, stays].map((signal) => produce('shared', signal, async () => 'shared'))
  left.abort(new Error('gone'))
  alsoLeft.abort()
  await expect(alone).rejects.toThrow('gone')
  expect(await first).toBe('first')
  expect(await Promise.all(together)).toEqual(['shared', 'shared'])
})

test('a failure is told to all, and the next one is served', async () => {
  const produce = workshop<string>(1)
  const broken = () => Promise.reject(new Error('broken'))
  const results = await Promise.allSettled([produce('a', stays, broken), produce('a', stays, broken)])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await produce('a', stays, async () => 'fine')).toBe('fine')
})

test('work under way is abandoned when the last of those who asked has left', async () => {
  const produce = workshop<string>(1)
  const [one, two] = [new AbortController(), new AbortController()]
  const began = Promise.withResolvers<AbortSignal>()
  const endless = (signal: AbortSignal) => {
    began.resolve(signal)
    return new Promise<string>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const asked = [one, two].map(({ signal }) => produce('a', signal, endless))
  const working = await began.promise
  one.abort(new Error('gone'))
  expect(working.aborted).toBe(false)
  two.abort(new Error('gone'))
  expect(working.aborted).toBe(true)
  expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
})

test('a new customer does not get the error of work that was abandoned', async () => {
  const produce = workshop<string>(1)
  const left = new AbortController()
  const slow = produce('a', left.signal, () => Bun.sleep(5).then(() => Promise.reject(new Error('abandoned'))))
  left.abort()
  const again = produce('a', stays, async () => 'fine')
  await expect(slow).rejects.toThrow('abandoned')
  expect(await again).toBe('fine')
})
