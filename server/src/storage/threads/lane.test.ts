import { afterEach, describe, expect, spyOn, test } from 'bun:test'
import { availableParallelism } from 'node:os'
import type { Mounts } from '../linux/mounts.ts'
import { parsePath } from '../path.ts'
import { type CallOptions, laneOf, type OwnLane } from './lane.ts'
import type { Pending, Thread } from './thread.ts'

const open: OwnLane[] = []
afterEach(() => {
  for (const lane of open.splice(0)) lane.close()
})

/** Takes tasks and never says a word about them. */
class SilentThread implements Thread {
  readonly unbegun = new Set<Pending>()
  readonly isReady = true
  readonly knowsHalfWritten = false
  get pending(): ReadonlySet<Pending> {
    return this.unbegun
  }
  get current() {
    return this.unbegun.values().next().value
  }
  get taskCount() {
    return this.unbegun.size
  }
  silence = () => 0
  prod() {}
  give = (pending: Pending): void => {
    this.unbegun.add(pending)
  }
  cancel() {}
  tellVolumes() {}
  tellServedFolders() {}
  stop() {}
}

const mounts: Mounts = {
  of: (name) => `/${name.split('/')[1]}`,
  deviceOf: () => '',
  isRemote: () => false,
  areIn: () => false,
  pointsBelow: () => [],
  lookAgain() {},
}

function readers(count: number, least = count) {
  const threads = Array.from({ length: count }, () => new SilentThread())
  const waiting = [...threads]
  const times = { slowAfter: 1e6, stuckAfter: 1e6, deadline: 1e6, idleAfter: 1e6 }
  const lane = laneOf({
    ...times,
    least,
    most: count,
    givesUp: true,
    mounts,
    start: () => waiting.shift(),
    stop() {},
  })
  open.push(lane)
  const ask = (name: string, verb: 'stat' | 'rowsOf' = 'stat') => {
    const task = { verb: verb as 'stat', base: { scope: '/', below: [] }, args: [parsePath('/')] as [never] }
    lane.run(name, task).catch(() => {})
  }
  const names = () =>
    threads.map(({ unbegun }) => [...unbegun].map((call) => (call as unknown as { name: string }).name))
  return {
    ask,
    names,
    threads,
    count: (mount: string) => names().map((list) => list.filter((name) => mounts.of(name) === mount).length),
  }
}

test('the last thread without tasks of a file system is kept for others, also when it has tasks of those', () => {
  const { ask, count } = readers(3)
  // Each task starts one more thread, until there are enough.
  for (const name of ['/near/a', '/near/b', '/near/c']) ask(name)
  for (let index = 0; index < 60; index += 1) {
    ask(`/hung/${index}`)
    if (index === 40) ask('/near/d')
  }
  expect(count('/hung')[2]).toBe(0)
  expect(Math.min(...count('/hung').slice(0, 2))).toBeGreaterThan(0)
  expect(count('/near')[2]).toBeGreaterThan(0)
})

test('one thread takes all tasks while it has room', () => {
  const { ask, count } = readers(3)
  for (let index = 0; index < 10; index += 1) ask(`/near/${index}`)
  expect(count('/near')).toEqual([10, 0, 0])
})

test('tasks that keep a processor busy are shared by threads that are started for them, and one is left for others', () => {
  const { ask, count, threads } = readers(4, 2)
  for (const name of ['/near/a', '/near/b']) ask(name)
  for (const { unbegun } of threads) unbegun.clear()
  for (let index = 0; index < 10; index += 1) ask(`/many/${index}`, 'rowsOf')
  const shared = Math.min(4, availableParallelism() + 1) - 1
  expect(count('/many').toSorted()).toEqual([...Array(4 - shared).fill(0), ...Array(shared).fill(1)])
})

test('a task is found behind many that wait for a file system that hangs, without a look at the threads for each', async () => {
  const { ask, first, second } = sleepers()
  for (const name of ['/hung/a', '/hung/b']) void ask(name).catch(() => {})
  first.isAsleep = true
  for (let count = 0; count < 500; count += 1) void ask(`/hung/${count}`).catch(() => {})
  second.looks = 0
  const near = ask('/near/a')
  expect(second.looks).toBeLessThan(50)
  second.end(
    await until(() => second.given.find((call) => (call as unknown as { name: string }).name === '/near/a')),
    1,
  )
  expect(await near).toBe(1)
})

/** A thread that has begun its first tasks without telling of them, and may sleep with the next. */
class SleepingThread extends SilentThread {
  readonly given: Pending[] = []
  readonly ended = new Set<Pending>()
  isAsleep = false
  looks = 0
  override get pending() {
    return new Set(this.given).difference(this.ended)
  }
  override get taskCount() {
    return this.given.length - this.ended.size
  }
  override silence = () => {
    this.looks += 1
    return this.isAsleep ? 1000 : 0
  }
  override give = (pending: Pending) => {
    this.given.push(pending)
    this.unbegun.add(pending)
  }
  begin(pending: Pending | undefined) {
    if (pending !== undefined) this.unbegun.delete(pending)
    return pending
  }
  end(pending: Pending | undefined, value: unknown) {
    if (pending === undefined) return
    this.begin(pending)
    this.ended.add(pending)
    pending.resolve(value, this)
  }
}

function sleepers(deadline = 1e6) {
  const threads = [new SleepingThread(), new SleepingThread()]
  const waiting = [...threads]
  const times = { slowAfter: 12, stuckAfter: 100, deadline, idleAfter: 1e6 }
  const lane = laneOf({ ...times, least: 2, most: 2, givesUp: true, mounts, start: () => waiting.shift(), stop() {} })
  open.push(lane)
  const ask = (name: string, options: CallOptions = {}): Promise<unknown> => {
    const task = {
      verb: 'list' as const,
      base: { scope: '/', below: [] },
      args: [parsePath('/'), false] as [never, false],
    }
    return lane.run(name, task, options)
  }
  return { ask, first: threads[0] as SleepingThread, second: threads[1] as SleepingThread }
}

async function until<T>(found: () => T | undefined): Promise<T> {
  for (;;) {
    const value = found()
    if (value !== undefined) return value
    await Bun.sleep(1)
  }
}

describe('tasks that a thread has begun when it falls asleep with another one', () => {
  test('are done by another thread', async () => {
    const { ask, first, second } = sleepers()
    // The second thread is started by the first task.
    const near = ask('/near/a')
    void ask('/hung/a').catch(() => {})
    first.begin(first.given[0])
    first.isAsleep = true
    second.end(await until(() => second.given.find((call) => call === first.given[0])), 'done')
    expect(await near).toBe('done')
    expect(second.given).not.toContain(first.given[1] as Pending)
  })

  test('begin with their first part again, once, and what the sleeping thread sends later does not count', async () => {
    const { ask, first, second } = sleepers()
    const seen: unknown[] = []
    const restart = () => void seen.splice(0)
    const near = ask('/near/a', { part: (part: never) => void seen.push(part), restart })
    void ask('/hung/a').catch(() => {})
    const begun = first.begin(first.given[0])
    begun?.part?.('from the first', first)
    first.isAsleep = true
    const again = await until(() => second.given.find((call) => call.task === begun?.task))
    expect(seen).toEqual([])
    again.part?.('from the second', second)
    begun?.part?.('too late', first)
    begun?.resolve('too late', first)
    second.end(again, 'done')
    expect(await near).toBe('done')
    expect(seen).toEqual(['from the second'])
  })

  test('go on where parts of the same file system have come', async () => {
    const { ask, first, second } = sleepers()
    const near = ask('/hung/a', { part() {}, restart: () => expect.unreachable() })
    void ask('/hung/b').catch(() => {})
    const begun = first.begin(first.given[0])
    begun?.part?.('part', first)
    first.isAsleep = true
    await Bun.sleep(30)
    expect(second.given).toEqual([])
    first.isAsleep = false
    first.end(begun, 'done')
    expect(await near).toBe('done')
  })

  test.each(['done', 'stopped'])('that a part has ended are over when their thread has %s', async (how) => {
    const { ask, first } = sleepers()
    const seen: unknown[] = []
    const part = (part: never) => {
      seen.push(part)
      throw new Error('refused')
    }
    let end = 'under way'
    const call = ask('/near/a', { part }).catch((error: Error) => {
      end = error.message
    })
    void ask('/near/b').catch(() => {})
    const begun = first.begin(first.given[0])
    for (const one of ['first', 'second']) begun?.part?.(one, first)
    await Bun.sleep(5)
    expect([end, seen]).toEqual(['under way', ['first']])
    if (how === 'done') first.end(begun, 'done')
    else begun?.reject(new Error('stopped'), first)
    await call
    expect(end).toBe('refused')
  })

  test('are given up when their client leaves, and refused after a while', async () => {
    const client = new AbortController()
    const { ask, first } = sleepers(200)
    const left = ask('/hung/a', { signal: client.signal }).catch((error: Error) => error.name)
    const refused = ask('/hung/b').catch((error: Error) => error.message)
    for (const call of first.given) first.begin(call)
    first.isAsleep = true
    client.abort()
    expect(await left).toBe('AbortError')
    expect(await refused).toBe('The disk does not answer')
  })
})

test('a timer ticks while there is a task, and not any longer', async () => {
  const [started, ended] = [spyOn(globalThis, 'setInterval'), spyOn(globalThis, 'clearInterval')]
  const thread = new SilentThread()
  let free = () => {}
  const times = { slowAfter: 1e6, stuckAfter: 1e6, deadline: 1e6, idleAfter: 1e6 }
  const start = (tell: () => void) => {
    free = tell
    return thread
  }
  const lane = laneOf({ ...times, least: 1, most: 1, givesUp: true, mounts, start, stop() {} })
  open.push(lane)
  try {
    const asked = ['/a', '/b'].map((name) =>
      lane.run(name, { verb: 'stat', base: { scope: '/', below: [] }, args: [parsePath(name)] }),
    )
    free()
    expect(started).toHaveBeenCalledTimes(1)
    for (const pending of [...thread.unbegun]) {
      expect(ended).not.toHaveBeenCalled()
      thread.unbegun.delete(pending)
      pending.resolve({}, thread)
      free()
    }
    await Promise.all(asked)
    expect(ended).toHaveBeenCalledTimes(1)
  } finally {
    started.mockRestore()
    ended.mockRestore()
  }
})

test('one thread is kept at rest; a second one is started when a task comes while another is under way', async () => {
  const started: SilentThread[] = []
  let free = () => {}
  let stopped = 0
  const lane = laneOf({
    ...{ slowAfter: 1e6, stuckAfter: 1e6, deadline: 1e6, idleAfter: 1 },
    ...{ least: 2, most: 4, givesUp: true, mounts },
    start(tell) {
      free = tell
      started.push(new SilentThread())
      return started.at(-1)
    },
    stop() {
      stopped += 1
    },
  })
  open.push(lane)
  const ask = () => lane.run('/a', { verb: 'stat', base: { scope: '/', below: [] }, args: [parsePath('/a')] })
  const answerAll = () => {
    for (const thread of started)
      for (const pending of [...thread.unbegun]) {
        thread.unbegun.delete(pending)
        pending.resolve({}, thread)
      }
    free()
  }
  const alone = ask()
  free()
  expect(started).toHaveLength(1)
  answerAll()
  await alone
  const both = [ask(), ask()]
  free()
  expect(started).toHaveLength(2)
  answerAll()
  await Promise.all(both)
  await until(() => stopped === 1 || undefined)
  await Bun.sleep(20)
  expect(stopped).toBe(1)
})
