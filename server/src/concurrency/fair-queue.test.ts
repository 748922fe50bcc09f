import { expect, test } from 'bun:test'
import { fairQueue, signedInLane } from './fair-queue.ts'

function makeQueue(limits: Partial<Parameters<typeof fairQueue>[0]> = {}) {
  const queue = fairQueue({ places: 1, mostWaiting: 20, mostWaitingPerLane: 4, ...limits })
  const begun: string[] = []
  const ends: (() => void)[] = []
  let most = 0
  let running = 0
  const enter = (name: string, lane = name.slice(0, 1)) =>
    queue
      .run(lane, async () => {
        begun.push(name)
        running += 1
        most = Math.max(most, running)
        await new Promise<void>((resolve) => ends.push(resolve))
        running -= 1
        return 'done'
      })
      .catch((error) => error.code)
  /** Ends all work that begins, until there is none. */
  async function finish() {
    for (let turn = 0; turn < 200; turn += 1) {
      ends.shift()?.()
      await Promise.resolve()
    }
  }
  return { enter, begun, finish, most: () => most }
}

test('a flood of one network does not delay the others by its length', async () => {
  const { enter, begun, finish } = makeQueue()
  const all = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1'].map((name) => enter(name))
  await finish()
  expect(await Promise.all(all)).toEqual(Array(7).fill('done'))
  expect(begun.slice(0, 3).sort()).toEqual(['a1', 'b1', 'c1'])
})

test('a network that was served waits behind those that were not, in whatever order they came', async () => {
  const { enter, begun, finish } = makeQueue()
  const all = ['a1', 'a2', 'b1', 'a3', 'b2'].map((name) => enter(name))
  await finish()
  expect(await Promise.all(all)).toEqual(Array(5).fill('done'))
  expect(begun).toEqual(['a1', 'b2', 'a3', 'b1', 'a2'])
})

test('a full lane drops its oldest, and the newest is served', async () => {
  const { enter, begun, finish } = makeQueue()
  const all = Array.from({ length: 30 }, (_, count) => enter(`a${count}`))
  const late = enter('a late')
  await finish()
  const outcomes = await Promise.all(all)
  expect(outcomes.filter((outcome) => outcome === 'unavailable')).toHaveLength(26)
  expect([outcomes[0], await late]).toEqual(['done', 'done'])
  expect(begun[1]).toBe('a late')
})

test('a full queue drops from the longest lane', async () => {
  const { enter, finish } = makeQueue({ mostWaiting: 5 })
  const flood = Array.from({ length: 5 }, (_, count) => enter(`a${count}`))
  const others = ['b', 'c', 'd', 'e'].map((name) => enter(name))
  await finish()
  expect(await Promise.all(others)).toEqual(Array(4).fill('done'))
  expect((await Promise.all(flood)).filter((outcome) => outcome === 'unavailable')).toHaveLength(3)
})

test('the lane of signed-in users drops none and keeps the order', async () => {
  const { enter, begun, finish } = makeQueue()
  const names = Array.from({ length: 30 }, (_, count) => `s${count}`)
  const all = names.map((name) => enter(name, signedInLane))
  await finish()
  expect(await Promise.all(all)).toEqual(Array(30).fill('done'))
  expect(begun).toEqual(names)
})

test('the lane of signed-in users does not delay the other lanes', async () => {
  const { enter, begun, finish } = makeQueue()
  const work = Array.from({ length: 40 }, (_, count) => enter(`s${count}`, signedInLane))
  work.push(enter('a'))
  await finish()
  expect(await Promise.all(work)).toEqual(Array(41).fill('done'))
  expect(begun[1]).toBe('a')
})

test('no lane takes all permits, and no more run than there are', async () => {
  const { enter, begun, finish, most } = makeQueue({ places: 3, placesPerLane: 2 })
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2'].map((name) => enter(name))
  await Promise.resolve()
  expect(begun).toEqual(['a1', 'a2', 'b1'])
  await finish()
  expect(await Promise.all(all)).toEqual(Array(6).fill('done'))
  expect(most()).toBe(3)
})
