import { expect, test } from 'bun:test'
import type { Exit } from '../programs/server-process.ts'
import { channelOver } from './channel.ts'
import { keeperOf, type Serving } from './keeper.ts'

/** Processes that end when the test says so, and pauses that the test ends. */
function world() {
  const started: { end(exit?: Partial<Exit>): Promise<void>; ready(): Promise<void>; signals: string[] }[] = []
  const pauses: number[] = []
  const clock = { now: 0 }
  let hasGivenUp = false
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
  function start(): Serving {
    const ready = Promise.withResolvers<unknown>()
    const exited = Promise.withResolvers<Exit>()
    const signals: string[] = []
    ready.promise.catch(() => {})
    started.push({
      signals,
      async end(exit = {}) {
        ready.reject(new Error('ended'))
        exited.resolve({ code: 1, signal: undefined, ...exit })
        await settled()
      },
      async ready() {
        ready.resolve(undefined)
        await settled()
      },
    })
    return {
      pid: started.length,
      kill: (signal) => void signals.push(signal),
      channel: channelOver(() => {}),
      ready: ready.promise,
      exited: exited.promise,
    }
  }
  const keeper = keeperOf({
    start,
    ended: (_process, _exit, pause) => void pauses.push(pause),
    givesUp: () => {
      hasGivenUp = true
    },
    now: () => clock.now,
    sleep: async () => {},
  })
  return { keeper, start, started, pauses, clock, hasGivenUp: () => hasGivenUp }
}

test('a process that served for a while is replaced at once, one that did not after growing pauses', async () => {
  const { keeper, start, started, pauses, clock } = world()
  keeper.keep(start())
  await started[0]?.ready()
  clock.now = 60_000
  await started[0]?.end()
  for (const at of [1, 2, 3]) {
    await started[at]?.ready()
    await started[at]?.end()
  }
  expect(pauses).toEqual([0, 100, 200, 400])
  expect(keeper.all()).toHaveLength(1)
  await started[4]?.ready()
  clock.now += 60_000
  await started[4]?.end()
  expect(pauses.at(-1)).toBe(0)
})

test('processes that never get ready end the server, and one that does begins the count anew', async () => {
  const { keeper, start, started, hasGivenUp } = world()
  keeper.keep(start())
  for (let at = 0; at < 4; at += 1) await started[at]?.end()
  await started[4]?.ready()
  await started[4]?.end()
  for (let at = 5; at < 9; at += 1) await started[at]?.end()
  expect(hasGivenUp()).toBe(false)
  await started[9]?.end()
  expect(hasGivenUp()).toBe(true)
  expect(started).toHaveLength(10)
})

test('a stop waits for all processes, and replaces none of them', async () => {
  const { keeper, start, started } = world()
  keeper.keep(start())
  keeper.keep(start())
  let isStopped = false
  const stopping = keeper.stop('SIGTERM').then(() => {
    isStopped = true
  })
  expect(started.map(({ signals }) => signals)).toEqual([['SIGTERM'], ['SIGTERM']])
  await started[0]?.end({ code: 0 })
  expect(isStopped).toBe(false)
  await started[1]?.end({ code: 0 })
  await stopping
  expect([started.length, keeper.all()]).toEqual([2, []])
})
