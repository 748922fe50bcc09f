import { type Mounts, mountTable } from '../linux/mounts.ts'
import { type Lane, laneOf, type OwnLane } from './lane.ts'
import type { Modes, ThreadSettings } from './messages.ts'
import { type Answers, startThread, type Thread } from './thread.ts'

export interface Pool {
  /** For jobs that change nothing: a few threads do them, whichever is free. */
  readonly readers: Lane
  /**
   * For changes: one thread a file system, which knows what is under way there, by whichever of its mount points it is
   * reached.
   */
  changerFor(name: string): Lane
  changers(): readonly Lane[]
  /** Is the file kept by another machine or program, for which the event loop must not wait? */
  isRemote: Mounts['isRemote']
  /** Does any of these threads know of a half-written file? Then files are opened by them, too. */
  knowsHalfWritten(): boolean
  close(): void
}

export interface PoolOptions {
  settings: Omit<ThreadSettings, 'volumes' | 'thread' | 'halfWrittenCount' | 'halfWrittenHere' | 'current'>
  answers: Answers
  modes(): Modes
  /** Unix seconds. */
  now(): number
  orphans(places: readonly string[]): void
  mounts?: Mounts
  /** The root without symlinks. */
  realRoot?: string
  /** In milliseconds, these four. */
  slowAfter?: number
  stuckAfter?: number
  deadline?: number
  idleAfter?: number
  mostThreads?: number
}

/** Ready for the next job, so that one that waits for a disk keeps no other waiting. */
const warmReaders = 3
const mostReaders = 4
const usualMostThreads = 24

export function poolOf(options: PoolOptions): Pool {
  const { settings, answers, modes, now, orphans, mounts = mountTable() } = options
  const { slowAfter = 12, stuckAfter = 100, deadline = 15_000, idleAfter = 60_000 } = options
  const { mostThreads = usualMostThreads, realRoot = settings.root } = options
  let volumes: ThreadSettings['volumes'] = { below: [] }
  const all = new Set<Thread>()
  let lastThread = 0
  const halfWrittenCount = new Int32Array(new SharedArrayBuffer(4))

  function start(free: () => void, died: () => void): Thread | undefined {
    if (all.size >= mostThreads && !lanes.some((lane) => lane.stopIdle())) return undefined
    lastThread += 1
    const thread = lastThread
    const current = () => ({ ...settings, thread, halfWrittenCount, volumes: { ...volumes } })
    const facts = () => ({ modes: modes(), now: now() })
    const made: Thread = startThread(current, facts, {
      answers,
      orphans,
      free,
      died() {
        all.delete(made)
        died()
      },
      volumes(seen) {
        volumes = seen
        // A thread that has not seen a volume would take its empty folder for the real one.
        for (const other of all) if (other !== made) other.tellVolumes(seen)
      },
    })
    all.add(made)
    return made
  }

  function stop(thread: Thread): void {
    all.delete(thread)
    thread.stop()
  }

  const common = { mounts, start, stop, slowAfter, stuckAfter, deadline, idleAfter }
  const readers = laneOf({ ...common, least: warmReaders, most: mostReaders, givesUp: true })
  const changers = new Map<string, Lane>()
  const lanes: OwnLane[] = [readers]

  return {
    readers,
    changerFor(name) {
      const device = mounts.deviceOf(name)
      let lane = changers.get(device)
      if (lane === undefined) {
        const made = laneOf({ ...common, least: mounts.deviceOf(realRoot) === device ? 1 : 0, most: 1, givesUp: false })
        lanes.push(made)
        changers.set(device, made)
        lane = made
      }
      return lane
    },
    changers: () => [...changers.values()],
    isRemote: mounts.isRemote,
    knowsHalfWritten: () => Atomics.load(halfWrittenCount, 0) > 0,
    close() {
      for (const lane of lanes) lane.close()
    },
  }
}
