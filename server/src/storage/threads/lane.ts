import { availableParallelism } from 'node:os'
import { Failure } from '../../failure.ts'
import type { Mounts } from '../linux/mounts.ts'
import { Call, type CallOptions } from './call.ts'
import type { Task, VerbCalls, VerbName } from './messages.ts'
import type { Thread } from './thread.ts'

export type { CallOptions } from './call.ts'

type Value<V extends VerbName> = ReturnType<VerbCalls[V]>

/** Tasks of one kind, such as all changes on one file system, and the threads that do them. */
export interface Lane {
  /** `name` is the full name that the task is about. */
  run<V extends VerbName>(name: string, task: Task<V>, options?: CallOptions): Promise<Value<V>>
  /** Keeps the thread while something is open in it. */
  pin(): () => void
}

export interface OwnLane extends Lane {
  /** Stops a thread that has nothing to do, where the lane can do without. */
  stopIdle(): boolean
  /** Is a task under way, or a thread kept? */
  isBusy(): boolean
  close(): void
}

interface LaneOptions {
  /** How many threads are ready while there are several tasks, and how many there may be that do not wait for a disk. */
  least: number
  most: number
  /** A task is refused at its deadline also when a thread waits for a disk with it. */
  givesUp: boolean
  mounts: Mounts
  /** Undefined where there are as many as there may be. */
  start(free: () => void, died: () => void): Thread | undefined
  stop(thread: Thread): void
  /** In milliseconds, these four. */
  slowAfter: number
  stuckAfter: number
  deadline: number
  idleAfter: number
}

/** So many readers may wait for one file system; the tasks behind them wait without a thread. */
const mostStuck = 3
/** Tasks that ask for the facts of what is in a folder, and so of file systems that are mounted there. */
const looksInside: ReadonlySet<VerbName> = new Set([
  'list',
  'names',
  'describe',
  'namesInOrder',
  'rowsOf',
  'find',
  'visitBelow',
  'peek',
  'readFiles',
  'readInPlaces',
  'foldsCase',
])
/** Tasks that keep a processor busy for milliseconds: several threads share them, as long as one is left for others. */
const keepsBusy: ReadonlySet<VerbName> = new Set(['rowsOf'])
/** While such tasks wait there are so many: one for each processor, and one for others. */
const whileBusy = availableParallelism() + 1
/** In milliseconds: after so long the signal of a task is asked. */
const longTask = 50
/** In milliseconds. */
const tickEvery = 5
/** In milliseconds: so long the mount of a task counts, because thousands may wait for one that hangs. */
const mountFor = 20
/** So many tasks may be on their way to a thread. */
const depth = 16

export function laneOf(options: LaneOptions): OwnLane {
  const { least, most, givesUp, mounts, start, stop } = options
  const { slowAfter, stuckAfter, deadline, idleAfter } = options
  const queue: Call[] = []
  const calls = new Set<Call>()
  const threads = new Set<Thread>()
  const open = { calls, threads }
  let pins = 0
  let ticking: Timer | undefined
  let idling: Timer | undefined
  let isClosed = false

  function add(): void {
    if (isClosed) return
    const thread = start(goOn, () => {
      if (thread !== undefined) threads.delete(thread)
      if (!isClosed) dispatch()
    })
    if (thread !== undefined) threads.add(thread)
  }

  /** To look into a folder in which others are mounted may sleep for one of them, not for the one it lies on. */
  function mountOf(call: Call): string {
    const { name, task } = call
    const at = performance.now()
    if (at >= call.mountUntil) {
      call.mount = looksInside.has(task.verb) && mounts.areIn(name) ? `${name}/` : mounts.of(name)
      call.mountUntil = at + mountFor
    }
    return call.mount
  }

  /** One file system that is slow must not take the last thread that is not, and gets one task at a time. */
  function mayTake(mount: string, able: number): boolean {
    const at = performance.now()
    let [slow, trying] = [0, 0]
    for (const thread of threads) {
      if (thread.silence(at) > slowAfter) slow += sleepsFor(thread, mount) ? 1 : 0
      else if ([...thread.unbegun].some((call) => mountOf(call as Call) === mount)) trying += 1
    }
    return slow === 0 || (slow < mostStuck && trying === 0 && able > 1)
  }

  function sleepsFor(thread: Thread, mount: string): boolean {
    const sleeper = sleeperOf(thread)
    const mayBe = sleeper === undefined ? [...(thread.pending as Iterable<Call>)] : [sleeper]
    return mayBe.some((call) => mountOf(call) === mount)
  }

  /** The first that has room: a second thread is woken only when the first has enough to do, or waits for a disk. */
  function dispatch(): void {
    let areAllTaken = false
    while (queue.length > 0) {
      const at = performance.now()
      let free: Thread | undefined
      let spare: Thread | undefined
      let [able, idle, slow] = [0, 0, 0]
      for (const thread of threads) {
        if (thread.silence(at) > slowAfter) slow += 1
        else if (thread.isReady) {
          able += 1
          if (thread.unbegun.size === 0) {
            idle += 1
            spare = thread
          }
          if (thread.unbegun.size < depth) free ??= thread
        }
      }
      if (free === undefined && most === 1) free = onlyThread()
      const takesAny = most === 1 || slow === 0
      const isLast = most > 1 && able > 1 && free !== undefined && idle === (free.unbegun.size === 0 ? 1 : 0)
      const fits = (mount: string) =>
        (takesAny || mayTake(mount, able)) && !(isLast && isKeptFrom(free as Thread, mount))
      const index = free === undefined ? -1 : takesAny && !isLast ? 0 : firstOn(fits)
      const [next] = index === -1 ? [] : queue.splice(index, 1)
      areAllTaken = free === undefined
      if (next === undefined || free === undefined) break
      if (!calls.has(next) || (next.isGiven && !isHeldUp(next, at))) continue
      next.isGiven = true
      const taker = keepsBusy.has(next.task.verb) && idle > 1 && spare !== undefined ? spare : free
      taker.give(next)
    }
    const next = queue[0]?.task.verb
    grow(areAllTaken, next !== undefined && keepsBusy.has(next))
  }

  /** The first task that waits for a file system of which this is true. */
  function firstOn(isTrue: (mount: string) => boolean): number {
    const known = new Map<string, boolean>()
    return queue.findIndex((call) => {
      const mount = mountOf(call)
      const answer = known.get(mount) ?? isTrue(mount)
      known.set(mount, answer)
      return answer
    })
  }

  /** Threads may just fall asleep with tasks of a file system: the last one that has none of them is kept for others. */
  function isKeptFrom(thread: Thread, mount: string): boolean {
    const holds = ({ unbegun }: Thread) => [...unbegun].some((call) => mountOf(call as Call) === mount)
    const others = [...threads].filter((other) => other !== thread && other.isReady)
    return !holds(thread) && others.length > 0 && others.every(holds)
  }

  /** Changes wait for the thread of their file system, however slow that is; but few of them inside of it. */
  function onlyThread(): Thread | undefined {
    const [thread] = threads
    return thread?.isReady && thread.unbegun.size === 0 ? thread : undefined
  }

  /** One that a disk keeps waiting keeps no other task waiting; at rest, a thread is memory. */
  const ready = (): number => (calls.size > 1 ? least : Math.min(least, 1))

  /** As many threads as are needed, not counting those that wait for a disk. */
  function grow(areAllTaken: boolean, isBusy: boolean): void {
    const at = performance.now()
    let [able, areStarting] = [0, false]
    for (const thread of threads) {
      if (thread.silence(at) <= stuckAfter) able += 1
      if (!thread.isReady) areStarting = true
    }
    const wanted = Math.min(most, Math.max(ready(), areAllTaken ? able + 1 : 0, isBusy ? whileBusy : 0))
    // Changes on one file system stay in one thread, also when it waits.
    const count = most === 1 ? threads.size : able
    if (count < wanted && !areStarting) add()
  }

  /**
   * Tasks in a thread that waits for a disk are begun by another thread as well; whichever is done first counts. Those that
   * it has begun may be done at any moment, unless it waits for long: then they are begun anew, too.
   */
  function hedge(at: number): void {
    for (const thread of threads) {
      thread.prod(at)
      const silence = thread.silence(at)
      if (silence <= slowAfter) continue
      // It may sleep because of what was mounted a moment ago.
      if (silence < stuckAfter) mounts.lookAgain()
      const sleeper = sleeperOf(thread)
      for (const call of thread.pending as Iterable<Call>) {
        if (call === sleeper || !calls.has(call) || queue.includes(call) || !isHeldUp(call, at)) continue
        if (thread.unbegun.has(call)) queue.push(call)
        else if (silence > stuckAfter) queue.push(...beganAgain(call, thread))
      }
    }
  }

  /** The task that a thread waits for a disk with; undefined where it may be any that it has begun. */
  const sleeperOf = ({ current, unbegun }: Thread): Call | undefined =>
    current !== undefined && unbegun.has(current) ? (current as Call) : undefined

  /** Parts that have come are thrown away only where it is surely another file system that holds the task up. */
  function beganAgain(call: Call, thread: Thread): Call[] {
    const sleeper = sleeperOf(thread)
    if (!call.hasPart) return sleeper !== undefined || thread.taskCount > 1 ? [call] : []
    const isOfOther = sleeper !== undefined && mountOf(sleeper) !== mountOf(call)
    const again = isOfOther ? call.restarted() : undefined
    return again === undefined ? [] : [again]
  }

  /** All threads that have it wait for a disk, and have waited for so long. */
  const isHeldUp = (call: Call, at: number, longerThan = slowAfter): boolean =>
    [...threads].every((thread) => thread.silence(at) > longerThan || ![...thread.pending].includes(call))

  function begin(call: Call): void {
    calls.add(call)
    queue.push(call)
    dispatch()
    if (ticking !== undefined) return
    clearTimeout(idling)
    ticking = setInterval(tick, tickEvery)
  }

  function goOn(): void {
    dispatch()
    if (calls.size === 0) rest()
  }

  /** Without a task nothing ticks: to wake up once costs as much as to start and stop a timer twenty times. */
  function rest(): void {
    if (ticking === undefined) return
    clearInterval(ticking)
    ticking = undefined
    idling = setTimeout(shrink, idleAfter).unref()
  }

  /** A thread that waits for a disk is noticed only by its silence. */
  function tick(): void {
    if (calls.size === 0) {
      rest()
      return
    }
    const at = performance.now()
    if (givesUp) hedge(at)
    dispatch()
    // Tasks that wait for a busy processor are done in the end. Without a thread that has started, all are stuck.
    const isStuck =
      ![...threads].some(({ isReady }) => isReady) || [...threads].some((thread) => thread.silence(at) > deadline / 3)
    for (const call of calls) {
      const waits = queue.includes(call)
      const age = at - call.since
      if (age > deadline && (waits ? isStuck : givesUp && isHeldUp(call, at, deadline / 3)))
        leave(call, new Failure('unavailable', 'The disk does not answer', { retryAfter: 10 }))
      else if (call.signal !== undefined && age > longTask)
        askSignal(call, waits || (givesUp && isHeldUp(call, at, stuckAfter)))
    }
  }

  /** A thread that waits for a disk cannot stop, and is not waited for. */
  function askSignal(call: Call, canLeave: boolean): void {
    try {
      call.signal?.throwIfAborted()
    } catch (error) {
      if (!call.isCancelled) call.cancel()
      call.isCancelled = true
      if (canLeave) leave(call, error)
    }
  }

  function leave(call: Call, error: unknown): void {
    const index = queue.indexOf(call)
    if (index !== -1) queue.splice(index, 1)
    call.leave(error)
  }

  /** False where each is at work or needed. */
  function stopIdle(): boolean {
    if (threads.size <= ready() || pins > 0) return false
    const idle = [...threads].find((thread) => thread.isReady && thread.taskCount === 0 && !thread.knowsHalfWritten)
    if (idle === undefined) return false
    threads.delete(idle)
    stop(idle)
    return true
  }

  function shrink(): void {
    while (stopIdle()) {}
  }

  return {
    stopIdle,
    isBusy: () => calls.size > 0 || pins > 0,
    run: <V extends VerbName>(name: string, task: Task<V>, options: CallOptions = {}) =>
      new Promise<Value<V>>((resolve, reject) => {
        if (isClosed) return reject(stopping())
        options.signal?.throwIfAborted()
        begin(new Call({ task: task as unknown as Task, name, options, resolve, reject }, open))
      }),
    pin() {
      pins += 1
      let isPinned = true
      return () => {
        if (isPinned) pins -= 1
        isPinned = false
      }
    },
    close() {
      isClosed = true
      clearTimeout(idling)
      for (const call of queue.splice(0)) call.leave(stopping())
      for (const thread of threads) stop(thread)
      threads.clear()
      clearInterval(ticking)
    },
  }
}

const stopping = () => new Failure('unavailable', 'The server is stopping')
