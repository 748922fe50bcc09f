import type { Effect, KeepStores } from '../keeping.ts'
import { type Mounts, mountTable } from '../linux/mounts.ts'
import { type ContentSlots, contentMemory, contentSlots, forGroups } from './content-slots.ts'
import { type Lane, laneOf, type OwnLane } from './lane.ts'
import type { Modes, OtherRoot, ThreadSettings } from './messages.ts'
import { type Answers, startThread, type Thread } from './thread.ts'

export interface Pool {
  /** For tasks that change nothing: a few threads do them, whichever is free. */
  readonly readers: Lane
  /**
   * For changes: one thread a file system, which knows what is under way there, by whichever of its mount points it is
   * reached.
   */
  changerFor(name: string): Lane
  changers(): readonly Lane[]
  /**
   * For calls of the thread that changes a file system which take long on a busy disk: other changes go on beside them.
   * None is refused for the time that others take.
   */
  helperFor(name: string): Lane
  /** For what is moved or copied to another root where one of both may hang: no change within the source waits for it. */
  transfererFor(from: string, to: string): Lane
  /** Where this thread, which is known by its number, reads small files into. */
  slotsOf(thread: number): ContentSlots | undefined
  /** The same for files that are read together, in memory that it tells of with the first slot. */
  groupSlotsOf(thread: number, memory?: SharedArrayBuffer): ContentSlots | undefined
  /** Is the file kept by another machine or program, for which the event loop must not wait? */
  isRemote: Mounts['isRemote']
  pointsBelow: Mounts['pointsBelow']
  /** Does any of these threads know of a half-written file? Then files are opened by them, too. */
  knowsHalfWritten(): boolean
  /** What threads must know of this root to put something there. */
  asOther(): Omit<OtherRoot, 'path'>
  /** What is served, for tasks from now on. */
  tellServedFolders(folders: ThreadSettings['servedFolders']): void
  /** Is a task under way, or something open in a thread? */
  isBusy(): boolean
  close(): void
}

export interface PoolOptions {
  settings: Omit<ThreadSettings, 'volumes' | 'thread' | 'halfWrittenCount' | 'halfWrittenHere' | 'current' | 'contents'>
  answers: Answers
  modes(): Modes
  stores(): KeepStores
  /** In a root, by its full name. */
  effects(root: string, operation: string, effects: readonly Effect[]): void
  /** Unix seconds. */
  now(): number
  orphans(places: readonly string[]): void
  /** A thread, by its number, has ended. */
  ended(thread: number): void
  mounts?: Mounts
  /** In milliseconds, these four. */
  slowAfter?: number
  stuckAfter?: number
  deadline?: number
  idleAfter?: number
  mostThreads?: number
  /** Readers that are ready while there are several tasks. */
  leastReaders?: number
  /** For tests: the number of the task before the first one of a thread. */
  lastTask?: number
}

/** So that one that waits for a disk keeps no other task waiting. */
const usualReaders = 2
const mostReaders = 4
const usualMostThreads = 24

export function poolOf(options: PoolOptions): Pool {
  const { settings, answers, modes, stores, now, orphans, effects, ended, mounts = mountTable() } = options
  const { slowAfter = 12, stuckAfter = 100, deadline = 15_000, idleAfter = 60_000 } = options
  const { mostThreads = usualMostThreads, leastReaders = usualReaders } = options
  let volumes: ThreadSettings['volumes'] = { below: [] }
  let { servedFolders } = settings
  const all = new Map<Thread, number>()
  const slots = new Map<number, ContentSlots>()
  const groupSlots = new Map<number, ContentSlots>()
  let lastThread = 0
  const halfWrittenCount = new Int32Array(new SharedArrayBuffer(4))
  const links = linksElsewhere()

  function start(free: () => void, died: () => void): Thread | undefined {
    if (all.size >= mostThreads && !lanes.some((lane) => lane.stopIdle())) return undefined
    lastThread += 1
    const thread = lastThread
    const contents = contentMemory()
    slots.set(thread, contentSlots(contents))
    const current = () => ({ ...settings, servedFolders, thread, halfWrittenCount, contents, volumes: { ...volumes } })
    const facts = () => ({ modes: modes(), stores: stores(), now: now() })
    const events = {
      answers,
      orphans,
      effects,
      free,
      link: links.add,
      died() {
        remove(made)
        died()
      },
      volumes(seen: ThreadSettings['volumes']) {
        volumes = seen
        // A thread that has not seen a volume would take its empty folder for the real one.
        for (const other of all.keys()) if (other !== made) other.tellVolumes(seen)
      },
    }
    const made: Thread = startThread(current, facts, events, options.lastTask)
    all.set(made, thread)
    return made
  }

  function remove(thread: Thread): void {
    const number = all.get(thread)
    if (number === undefined || !all.delete(thread)) return
    slots.delete(number)
    groupSlots.delete(number)
    ended(number)
  }

  function stop(thread: Thread): void {
    remove(thread)
    thread.stop()
  }

  const common = {
    mounts: { ...mounts, of: (name: string) => mounts.of(links.follow(name)) },
    start,
    stop,
    slowAfter,
    stuckAfter,
    deadline,
    idleAfter,
  }
  const readers = laneOf({ ...common, least: leastReaders, most: mostReaders, givesUp: true })
  const changers = new Map<string, Lane>()
  const helpers = new Map<string, Lane>()
  const transferers = new Map<string, Lane>()
  const lanes: OwnLane[] = [readers]

  /** The lane of a file system, with one thread, which is started for its first task. */
  function laneIn(known: Map<string, Lane>, device: string, deadline: number): Lane {
    const lane = known.get(device)
    if (lane !== undefined) return lane
    const made = laneOf({ ...common, deadline, least: 0, most: 1, givesUp: false })
    lanes.push(made)
    known.set(device, made)
    return made
  }

  return {
    readers,
    changerFor: (name) => laneIn(changers, mounts.deviceOf(name), deadline),
    changers: () => [...changers.values()],
    helperFor: (name) => laneIn(helpers, mounts.deviceOf(name), Number.POSITIVE_INFINITY),
    transfererFor: (from, to) => laneIn(transferers, `${mounts.deviceOf(from)} ${mounts.deviceOf(to)}`, deadline),
    slotsOf: (thread) => slots.get(thread),
    groupSlotsOf(thread, memory) {
      // The last word of a thread may come after its end.
      if (memory !== undefined && slots.has(thread)) groupSlots.set(thread, contentSlots(memory, forGroups))
      return groupSlots.get(thread)
    },
    isRemote: mounts.isRemote,
    pointsBelow: mounts.pointsBelow,
    knowsHalfWritten: () => Atomics.load(halfWrittenCount, 0) > 0,
    asOther: () => ({
      root: settings.root,
      follows: settings.follows,
      isFurtherMount: settings.isFurtherMount,
      servedFolders,
      volumes,
      stores: stores(),
    }),
    tellServedFolders(folders) {
      servedFolders = folders
      for (const thread of all.keys()) thread.tellServedFolders(folders)
    },
    isBusy: () => lanes.some((lane) => lane.isBusy()),
    close() {
      for (const lane of lanes) lane.close()
    },
  }
}

/** Links to other file systems that threads have met lately: a task whose name leads through one may sleep for that one. */
export function linksElsewhere(most = 100) {
  const targets = new Map<string, string>()
  return {
    add(link: string, target: string): void {
      targets.delete(link)
      targets.set(link, target)
      const [oldest] = targets.size > most ? targets.keys() : []
      if (oldest !== undefined) targets.delete(oldest)
    },
    /** The name behind them, as far as they are known. */
    follow(name: string): string {
      let at = name
      for (const [link, target] of targets)
        if (at === link || at.startsWith(`${link}/`)) at = `${target}${at.slice(link.length)}`
      return at
    },
  }
}
