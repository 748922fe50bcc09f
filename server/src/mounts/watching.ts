import { closeBeside } from '../storage/linux/file-calls.ts'
import { type FolderEvent, IN, openInotify, readEvents, removeWatch } from '../storage/linux/inotify.ts'
import { isDraftName } from '../storage/path.ts'
import type { Entry } from '../storage/port.ts'
import { isStoreName } from '../storage/store-names.ts'
import { type Location, mountOf, mountRootOf, pathIn } from './location.ts'
import type { Mounts } from './mounts.ts'

/** Names in a folder that are not as they were, true for those that were taken away; or all of it is to be looked at again. */
export interface FolderNews {
  readonly names: ReadonlyMap<string, boolean>
  readonly isStale: boolean
}

export interface FolderWatch {
  /** Over when changes are noticed from now on, or never will be. */
  readonly ready: Promise<void>
  stop(): void
}

/** Notices what any program changes in folders: by the kernel where it tells, and by looking again and again elsewhere. */
export interface FolderWatcher {
  watch(folder: Location, told: (news: FolderNews) => void): FolderWatch
  /** Folders that the kernel tells of, and those that are looked at. */
  readonly counts: { readonly told: number; readonly polled: number }
  close(): void
}

export interface WatcherOptions {
  /** So many folders the kernel is asked to tell of; the limit of the system is for the whole account. */
  mostWatches?: number
  /** In milliseconds. */
  pollEvery?: number
  pollRemoteEvery?: number
  pollElsewhereEvery?: number
  readEvery?: number
}

interface Seen {
  readonly version: string
  /** Not of a large folder. */
  readonly entries: ReadonlyMap<string, string> | undefined
}

interface Watched {
  readonly folder: Location
  readonly told: (news: FolderNews) => void
  isOver: boolean
  /** Its number in the queue of the kernel. */
  watch: number | undefined
  hasOwn: boolean
  isRemote: boolean
  /** On another server, where a look is a request that may cost money. */
  readonly isElsewhere: boolean
  /** When it is to be looked at; undefined where the kernel tells everything. */
  lookAt: number | undefined
  /** What was there when it was looked at last; undefined before. */
  seen: Seen | 'nothing' | undefined
  /** Files that are being written, told less often. */
  growing: Set<string>
  growingUntil: number
}

/** Of a larger folder only its time is compared. */
const mostCompared = 5000
/** In milliseconds: how often a file is told that is being written, and a folder with files of our own is compared. */
const [slowly, comparedEvery] = [1000, 500]
/** In one mount: another one may have a disk that does not answer. */
const looksAtOnce = 2
/** At most so many buffers at once: others want their turn. */
const mostReads = 4
const removing = IN.DELETE | IN.MOVED_FROM
const ending = IN.DELETE_SELF | IN.MOVE_SELF | IN.UNMOUNT | IN.IGNORED

export function folderWatcher(
  mounts: Pick<Mounts, 'watchFolder' | 'storageAt' | 'kindOf'>,
  {
    mostWatches = 2000,
    pollEvery = 2000,
    pollRemoteEvery = 5000,
    pollElsewhereEvery = 15_000,
    readEvery = 100,
  }: WatcherOptions = {},
): FolderWatcher {
  const all = new Set<Watched>()
  const byWatch = new Map<number, Set<Watched>>()
  let inotify: number | undefined
  let isUntold = false
  let adding = 0
  /** By mount. */
  const looking = new Map<number, number>()
  let timer: NodeJS.Timeout | undefined

  /** The queue of the kernel, if it has one for us. */
  function queue(): number | undefined {
    if (inotify !== undefined || isUntold) return inotify
    try {
      inotify = openInotify()
    } catch {
      isUntold = true
    }
    return inotify
  }

  async function add(watched: Watched): Promise<void> {
    const fd = byWatch.size < mostWatches && !watched.isElsewhere ? queue() : undefined
    if (fd === undefined) return
    adding += 1
    try {
      const found = await mounts.watchFolder(watched.folder, fd)
      watched.hasOwn = found.hasOwn
      watched.isRemote = found.isRemote
      if (found.watch === undefined) return
      const same = byWatch.get(found.watch) ?? new Set()
      byWatch.set(found.watch, same.add(watched))
      watched.watch = found.watch
      if (watched.isOver) drop(watched)
    } catch {
      // It is not there, or its disk does not answer.
    } finally {
      adding -= 1
    }
  }

  function drop(watched: Watched): void {
    const { watch } = watched
    if (watch === undefined) return
    watched.watch = undefined
    const same = byWatch.get(watch)
    same?.delete(watched)
    if (same !== undefined && same.size > 0) return
    byWatch.delete(watch)
    if (inotify !== undefined) removeWatch(inotify, watch)
  }

  async function begin(watched: Watched): Promise<void> {
    await add(watched)
    if (watched.watch === undefined || watched.isRemote || watched.hasOwn) await look(watched)
    planLook(watched, 0)
  }

  /** A disk that is slow is asked less often. */
  function planLook(watched: Watched, took: number): void {
    const isTold = watched.watch !== undefined && !watched.isRemote
    const every = watched.isElsewhere ? pollElsewhereEvery : watched.isRemote ? pollRemoteEvery : pollEvery
    watched.lookAt = isTold ? undefined : performance.now() + Math.max(every, took * 10)
  }

  async function look(watched: Watched): Promise<void> {
    const before = watched.seen
    const now = await seenIn(watched.folder)
    if (watched.isOver) return
    watched.seen = now
    if (before === undefined || (before === 'nothing' && now === 'nothing')) return
    const names = before === 'nothing' || now === 'nothing' ? undefined : namesBetween(before, now)
    if (names === undefined) watched.told({ names: new Map(), isStale: true })
    else if (names.size > 0) watched.told({ names, isStale: false })
  }

  /** Nothing where it is not there, or its disk does not answer. */
  async function seenIn(folder: Location): Promise<Seen | 'nothing'> {
    try {
      const storage = mounts.storageAt(mountRootOf(folder))
      const found = await storage.find(pathIn(folder), { lists: true, largestOpened: 0, mostListed: mostCompared })
      found.file?.close()
      const entries = found.entries && new Map(found.entries.map((entry) => [entry.name, printOf(entry)]))
      return { version: found.entry.version, entries }
    } catch {
      return 'nothing'
    }
  }

  async function lookAgain(watched: Watched): Promise<void> {
    const mount = mountOf(watched.folder)
    looking.set(mount, (looking.get(mount) ?? 0) + 1)
    watched.lookAt = undefined
    const began = performance.now()
    // It may have come back, or a place in the queue has become free.
    if (watched.watch === undefined) await add(watched)
    await look(watched)
    looking.set(mount, (looking.get(mount) ?? 1) - 1)
    if (!watched.isOver) planLook(watched, performance.now() - began)
  }

  function take(events: readonly FolderEvent[]): void {
    const told = new Map<Watched, { names: Map<string, boolean>; isStale: boolean }>()
    const newsOf = (watched: Watched) => {
      const news = told.get(watched) ?? { names: new Map<string, boolean>(), isStale: false }
      told.set(watched, news)
      return news
    }
    for (const { watch, mask, name } of events) {
      if (mask & IN.Q_OVERFLOW) for (const watched of all) newsOf(watched).isStale = true
      const concerned = byWatch.get(watch)
      if (concerned === undefined) {
        // Of a folder that was given up while a thread asked for it.
        if (adding === 0 && watch >= 0 && !(mask & IN.IGNORED) && inotify !== undefined) removeWatch(inotify, watch)
        continue
      }
      for (const watched of [...concerned]) {
        if (mask & ending) {
          newsOf(watched).isStale = true
          drop(watched)
          watched.seen = 'nothing'
          planLook(watched, 0)
        } else if (name === '' || isDraftName(name) || isStoreName(name)) continue
        // The kernel tells of our own files, too; a listing does not.
        else if (watched.hasOwn) watched.lookAt ??= performance.now() + comparedEvery
        else if ((mask & ~IN.MODIFY) === 0) grow(watched, name)
        else {
          const { names } = newsOf(watched)
          names.set(name, names.get(name) === true || (mask & removing) !== 0)
          watched.growing.delete(name)
        }
      }
    }
    for (const [watched, news] of told) if (!watched.isOver) watched.told(news)
  }

  function grow(watched: Watched, name: string): void {
    if (watched.growing.size === 0) watched.growingUntil = performance.now() + slowly
    watched.growing.add(name)
  }

  function readQueue(): void {
    try {
      for (let reads = 0; inotify !== undefined && reads < mostReads; reads += 1) {
        const events = readEvents(inotify)
        if (events.length === 0) return
        take(events)
      }
    } catch {
      // The kernel tells nothing any more: everything is looked at.
      inotify = undefined
      isUntold = true
      byWatch.clear()
      for (const watched of all) {
        watched.watch = undefined
        watched.told({ names: new Map(), isStale: true })
        planLook(watched, 0)
      }
    }
  }

  function tick(): void {
    readQueue()
    const now = performance.now()
    for (const watched of all) {
      if (watched.growing.size > 0 && watched.growingUntil <= now) {
        const names = new Map([...watched.growing].map((name) => [name, false]))
        watched.growing.clear()
        watched.told({ names, isStale: false })
      }
      if (watched.lookAt === undefined || watched.lookAt > now) continue
      if ((looking.get(mountOf(watched.folder)) ?? 0) < looksAtOnce) void lookAgain(watched)
    }
  }

  return {
    watch(folder, told) {
      const watched: Watched = {
        folder,
        told,
        isOver: false,
        watch: undefined,
        hasOwn: false,
        isRemote: false,
        isElsewhere: mounts.kindOf(mountOf(folder)) !== 'disk',
        lookAt: undefined,
        seen: undefined,
        growing: new Set(),
        growingUntil: 0,
      }
      all.add(watched)
      timer ??= setInterval(tick, readEvery).unref()
      return {
        ready: begin(watched),
        stop() {
          watched.isOver = true
          all.delete(watched)
          drop(watched)
          if (all.size > 0) return
          clearInterval(timer)
          timer = undefined
        },
      }
    },
    get counts() {
      let told = 0
      for (const { watch } of all) if (watch !== undefined) told += 1
      return { told, polled: all.size - told }
    },
    close() {
      clearInterval(timer)
      for (const watched of all) watched.isOver = true
      all.clear()
      if (inotify !== undefined) closeBeside(inotify)
      inotify = undefined
      isUntold = true
    },
  }
}

const printOf = ({ kind, size, mode, seconds, nanoseconds }: Entry): string =>
  `${kind} ${size} ${mode} ${seconds}.${nanoseconds}`

/** Undefined where that cannot be told by names. */
function namesBetween(before: Seen, now: Seen): Map<string, boolean> | undefined {
  const names = new Map<string, boolean>()
  if (before.entries === undefined || now.entries === undefined)
    return before.version === now.version && before.entries === now.entries ? names : undefined
  for (const [name, print] of now.entries) if (before.entries.get(name) !== print) names.set(name, false)
  for (const name of before.entries.keys()) if (!now.entries.has(name)) names.set(name, true)
  return names
}
