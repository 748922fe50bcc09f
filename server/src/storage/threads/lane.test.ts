import { afterEach, expect, test } from 'bun:test'
import type { Mounts } from '../linux/mounts.ts'
import { parsePath } from '../path.ts'
import { laneOf, type OwnLane } from './lane.ts'
import type { Pending, Thread } from './thread.ts'

const open: OwnLane[] = []
afterEach(() => {
  for (const lane of open.splice(0)) lane.close()
})

/** Takes jobs and never says a word about them. */
class SilentThread implements Thread {
  readonly unbegun = new Set<Pending>()
  readonly isReady = true
  readonly knowsHalfWritten = false
  get current() {
    return this.unbegun.values().next().value
  }
  get jobCount() {
    return this.unbegun.size
  }
  silence = () => 0
  give = (pending: Pending) => void this.unbegun.add(pending)
  cancel() {}
  tellVolumes() {}
  stop() {}
}

const mounts: Mounts = {
  of: (name) => `/${name.split('/')[1]}`,
  deviceOf: () => '',
  isRemote: () => false,
  areIn: () => false,
  lookAgain() {},
}

function readers(count: number) {
  const threads = Array.from({ length: count }, () => new SilentThread())
  const waiting = [...threads]
  const times = { slowAfter: 1e6, stuckAfter: 1e6, deadline: 1e6, idleAfter: 1e6 }
  const lane = laneOf({
    ...times,
    least: count,
    most: count,
    givesUp: true,
    mounts,
    start: () => waiting.shift(),
    stop() {},
  })
  open.push(lane)
  const ask = (name: string) => {
    const job = { verb: 'stat' as const, base: { scope: '/', below: [] }, args: [parsePath('/')] as [never] }
    lane.run(name, job).catch(() => {})
  }
  const names = () =>
    threads.map(({ unbegun }) => [...unbegun].map((call) => (call as unknown as { name: string }).name))
  return {
    ask,
    names,
    count: (mount: string) => names().map((list) => list.filter((name) => mounts.of(name) === mount).length),
  }
}

test('the last thread without jobs of a file system is kept for others, also when it has jobs of those', () => {
  const { ask, count } = readers(3)
  // Each job starts one more thread, until there are enough.
  for (const name of ['/near/a', '/near/b', '/near/c']) ask(name)
  for (let index = 0; index < 60; index += 1) {
    ask(`/hung/${index}`)
    if (index === 40) ask('/near/d')
  }
  expect(count('/hung')[2]).toBe(0)
  expect(Math.min(...count('/hung').slice(0, 2))).toBeGreaterThan(0)
  expect(count('/near')[2]).toBeGreaterThan(0)
})

test('one thread takes all jobs while it has room', () => {
  const { ask, count } = readers(3)
  for (let index = 0; index < 10; index += 1) ask(`/near/${index}`)
  expect(count('/near')).toEqual([10, 0, 0])
})
