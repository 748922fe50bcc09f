import { expect, test } from 'bun:test'
import { type LimitOptions, limitOf } from './limit.ts'

const limit = (options: Partial<LimitOptions> = {}) =>
  limitOf({ what: 'things', most: 2, mostPerKey: 2, mostWaiting: 10, mostWaitingPerKey: 10, ...options })
const client = () => new AbortController()
const anyClient = client()

test('no more permits are held than the limit, and the next waiter gets one when one is given back', async () => {
  const things = limit()
  const [first, second] = [await things.enter('a', anyClient), await things.enter('b', anyClient)]
  expect(things.tryEnter('c')).toBeUndefined()
  const third = things.enter('c', anyClient)
  expect([things.running, things.waiting]).toEqual([2, 1])
  first[Symbol.dispose]()
  first[Symbol.dispose]()
  using _third = await third
  expect([things.running, things.waiting]).toEqual([2, 0])
  second[Symbol.dispose]()
  expect(things.running).toBe(1)
})

test('one key does not get every permit, and the key that holds fewest comes first', async () => {
  const things = limit({ most: 3, mostPerKey: 2 })
  const [one] = [await things.enter('a', anyClient), await things.enter('a', anyClient)]
  expect(things.tryEnter('a')).toBeUndefined()
  const begun: string[] = []
  const enter = (key: string) => void things.enter(key, anyClient).then(() => begun.push(key))
  enter('a')
  enter('a')
  await things.enter('b', anyClient)
  enter('c')
  one?.[Symbol.dispose]()
  await Bun.sleep(0)
  expect(begun).toEqual(['c'])
})

test('a client that leaves while waiting leaves the queue', async () => {
  const things = limit({ most: 1 })
  using _permit = await things.enter('a', anyClient)
  const leaving = client()
  const waiting = things.enter('b', leaving)
  expect(things.waiting).toBe(1)
  leaving.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  expect(things.waiting).toBe(0)
  await expect(things.enter('b', leaving)).rejects.toThrow('gone')
})

test('a full queue refuses, for all and for each key, and so does a timeout', async () => {
  const things = limit({ most: 1, mostWaiting: 2, mostWaitingPerKey: 1, timeout: 20 })
  using _permit = await things.enter('a', anyClient)
  const waiting = [things.enter('b', anyClient), things.enter('c', anyClient)]
  const refused = ['b', 'd'].map((key) =>
    expect(things.enter(key, anyClient)).rejects.toMatchObject({ code: 'unavailable', retryAfter: 1 }),
  )
  const ends = await Promise.allSettled(waiting)
  await Promise.all(refused)
  expect(ends.map((end) => end.status === 'rejected' && end.reason.code)).toEqual(['unavailable', 'unavailable'])
})

test('an idle holder loses its permit to a waiter, and an active one does not', async () => {
  let now = 0
  const things = limit({ most: 2, idleAfter: 40, now: () => now })
  const evicted: string[] = []
  const going = await things.enter('a', anyClient, () => evicted.push('a'))
  await things.enter('b', anyClient, () => evicted.push('b'))
  now = 50
  going.touch()
  using _third = await things.enter('c', anyClient)
  expect(evicted).toEqual(['b'])
})

test('no holder is evicted for a waiter that would not get in all the same', async () => {
  let now = 0
  const things = limit({ most: 3, mostPerKey: 2, idleAfter: 4, timeout: 60, now: () => now })
  const evicted: string[] = []
  for (const key of ['a', 'a']) await things.enter(key, anyClient)
  await things.enter('b', anyClient, () => evicted.push('b'))
  now = 50
  await expect(things.enter('a', anyClient)).rejects.toMatchObject({ code: 'unavailable' })
  expect(evicted).toEqual([])
})

test('an idle holder keeps its permit while there is no waiter', async () => {
  const things = limit({ idleAfter: 1 })
  let isEvicted = false
  using _permit = await things.enter('a', anyClient, () => {
    isEvicted = true
  })
  await Bun.sleep(30)
  expect([isEvicted, things.running]).toEqual([false, 1])
})
