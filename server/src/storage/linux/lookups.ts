import { dirname } from 'node:path'
import { Failure } from '../../failure.ts'
import { lookupWorker } from '../../parts.ts'
import { O } from './libc.ts'
import { type Mount, readMounts } from './mount-table.ts'

/**
 * The first look at a path can sleep for as long as a disk takes to spin up or a network mount takes to answer, so it
 * happens in a worker thread. What it finds is in the kernel's caches afterwards, where the event loop finds it at once.
 */
export interface Lookups {
  /**
   * Something to await before `path`, which lies beneath `folder` and that beneath `root`, is touched. Undefined where the path was looked at a moment ago, or
   * its file system has just answered at once: to ask a thread would take longer than to look.
   */
  look(root: string, folder: string, path: string, flags: number): Promise<void> | undefined
}

export interface LookupJob {
  root: string
  path: string
  flags: number
  follows: boolean
}

/** One thread. It works on one job at a time and tells how many milliseconds that took. */
export interface LookupThread {
  run(job: LookupJob): Promise<number>
  stop(): void
}

export interface LookupOptions {
  follows: boolean
  startThread?: () => LookupThread
  mounts?: Mounts
  /** In milliseconds, all of them. */
  recentFor?: number
  awakeFor?: number
  stuckAfter?: number
  deadline?: number
  idleAfter?: number
}

export interface Mounts {
  /** Which file system a full name lies on. */
  of(name: string): string
  /** Is another file system mounted on a name in this folder? Whoever lists the folder asks that one as well. */
  areIn(folder: string): boolean
  /** Is one mounted at any depth beneath it? */
  areBelow(folder: string): boolean
}

interface Waiting {
  name: string
  job: LookupJob
  isOver: boolean
  done: PromiseWithResolvers<void>
}

const usualThreads = 2
/** So many may hang on one file system. One alone tells nothing about it: what hangs may be mounted further below. */
const mostHanging = 3
const mostThreads = 16
const mostRecent = 10_000
/** In milliseconds: less than any disk or network needs. */
const atOnce = 1

export function lookupsWith(options: LookupOptions): Lookups {
  const { follows, startThread = startWorker, mounts = mountTable() } = options
  const { recentFor = 500, awakeFor = 100, stuckAfter = 1000, deadline = 15_000, idleAfter = 60_000 } = options
  /** Until when a path, or a file system, counts as one that answers at once. */
  const recent = new Map<string, number>()
  const awake = new Map<string, number>()
  /** The same for roots with nothing mounted beneath them: what is asked with nearly every request. */
  const awakeRoots = new Map<string, number>()
  const idle: LookupThread[] = []
  const queue: Waiting[] = []
  /** File systems and names on which lookups hang now, with how many do. */
  const hanging = new Map<string, number>()
  const hangingNames = new Map<string, number>()
  let [busy, stuck] = [0, 0]
  /** Where threads cannot run, because the lib folder or the right to have more is missing, they are done without. */
  let withoutUntil = 0
  /** One at a time: the runtime crashes when two threads load the C library at the same moment. */
  let starting: LookupThread | undefined
  let idleTimer: Timer | undefined

  function next(): void {
    for (;;) {
      const canStart = idle.length > 0 || (starting === undefined && busy - stuck < usualThreads && busy < mostThreads)
      if (!canStart) return
      const index = queue.findIndex(({ name, isOver }) => isOver || hanging.size === 0 || !wouldHang(name))
      const [waiting] = index === -1 ? [] : queue.splice(index, 1)
      if (waiting === undefined) return
      if (!waiting.isOver) void work(waiting, idle.pop() ?? start())
    }
  }

  /** No more threads are spent on it. */
  const wouldHang = (name: string): boolean =>
    hangingNames.has(name) || (hanging.get(mounts.of(name)) ?? 0) >= mostHanging

  function start(): LookupThread {
    try {
      starting = startThread()
      return starting
    } catch (error) {
      // The system allows no more threads.
      return { run: () => Promise.reject(error), stop() {} }
    }
  }

  async function work({ name, job, done }: Waiting, thread: LookupThread): Promise<void> {
    busy += 1
    let mount: string | undefined
    const timer = setTimeout(() => {
      if (starting === thread) starting = undefined
      stuck += 1
      mount = mounts.of(name)
      count(hanging, mount, 1)
      count(hangingNames, name, 1)
      next()
    }, stuckAfter)
    const took = await thread.run(job).catch(() => Number.POSITIVE_INFINITY)
    clearTimeout(timer)
    if (starting === thread) starting = undefined
    busy -= 1
    if (mount !== undefined) {
      stuck -= 1
      count(hanging, mount, -1)
      count(hangingNames, name, -1)
    }
    if (idle.length < usualThreads && Number.isFinite(took)) idle.push(thread)
    else thread.stop()
    if (!Number.isFinite(took)) withoutUntil = performance.now() + idleAfter
    if (took < atOnce) {
      awake.set(mounts.of(name), performance.now() + awakeFor)
      if (!mounts.areBelow(job.root)) awakeRoots.set(job.root, performance.now() + awakeFor)
    }
    if (recent.size >= mostRecent) recent.clear()
    recent.set(name, performance.now() + recentFor)
    done.resolve()
    next()
    clearTimeout(idleTimer)
    idleTimer = setTimeout(() => {
      for (const resting of idle.splice(0)) resting.stop()
    }, idleAfter).unref()
  }

  function isAwake(name: string, now: number): boolean {
    if (withoutUntil > now) return true
    if (hanging.size === 0 && (recent.get(name) ?? 0) > now) return true
    const mount = mounts.of(name)
    return (awake.get(mount) ?? 0) > now && !hanging.has(mount) && !mounts.areIn(name)
  }

  return {
    look(root, folder, below, flags) {
      const now = performance.now()
      if (hanging.size === 0 && (awakeRoots.get(root) ?? 0) > now) return undefined
      const path = `${folder}${below}`.slice(1)
      // Whoever opened a folder has not read it: that is another look.
      const name = (flags & O.DIRECTORY) === 0 ? `${root}/${path}` : `${root}/${path}/`
      if (isAwake(name, now)) return undefined
      const waiting: Waiting = {
        name,
        job: { root, path, flags, follows },
        isOver: false,
        done: Promise.withResolvers(),
      }
      const timer = setTimeout(() => {
        waiting.isOver = true
        waiting.done.reject(new Failure('unavailable', 'The disk does not answer', { retryAfter: 10 }))
      }, deadline)
      queue.push(waiting)
      next()
      return waiting.done.promise.finally(() => clearTimeout(timer))
    },
  }
}

function count(counts: Map<string, number>, key: string, more: 1 | -1): void {
  const now = (counts.get(key) ?? 0) + more
  if (now > 0) counts.set(key, now)
  else counts.delete(key)
}

/** The table is read again after a second. Timers ask it, too, so it never throws: without a descriptor it stays as it was. */
export function mountTable(read: () => readonly Mount[] | undefined = readMounts): Mounts {
  let points: string[] = []
  let parents = new Set<string>()
  let readAt = Number.NEGATIVE_INFINITY
  const refresh = () => {
    const now = performance.now()
    if (now - readAt <= 1000) return
    readAt = now
    try {
      const mounted = read() ?? []
      points = mounted.map(({ point }) => point).sort((a, b) => b.length - a.length)
      parents = new Set(points.map((point) => dirname(point)))
    } catch {}
  }
  return {
    of(name) {
      refresh()
      // The longest one that the name lies beneath.
      return points.find((point) => name === point || name.startsWith(`${point}/`)) ?? '/'
    },
    areIn(folder) {
      refresh()
      return parents.has(folder.replace(/\/+$/, '') || '/')
    },
    areBelow(folder) {
      refresh()
      const beneath = folder === '/' ? '/' : `${folder}/`
      return points.some((point) => point.length > beneath.length && point.startsWith(beneath))
    },
  }
}

function startWorker(): LookupThread {
  const worker = new Worker(lookupWorker, { smol: true })
  worker.unref()
  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        worker.onmessage = ({ data }: MessageEvent<number>) => resolve(data)
        worker.onerror = ({ message }) => reject(new Error(message))
        worker.postMessage(job)
      }),
    stop: () => worker.terminate(),
  }
}
