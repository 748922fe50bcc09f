import { isFailure } from '../../failure.ts'
import type { WatchedFolder, WatchedPart } from '../disk/watched-folder.ts'
import { closeBeside } from '../linux/file-calls.ts'
import { type FolderEvent, IN, openInotify, readEvents, removeWatch } from '../linux/inotify.ts'
import type { VirtualPath } from '../path.ts'

/** Something that was read from folders which the kernel watches: true until something happens in one of them. */
export interface Watched<Value> {
  /**
   * What is read once this has answered is watched. Answers with the id of the folder, because its path may lead to another one
   * by then; undefined where the kernel cannot tell everything. Fails where the disk does not answer.
   */
  add(folder: VirtualPath, part: WatchedPart): Promise<string | undefined>
  keep(value: Value): void
  /** Undefined once something has happened, whichever program it was done by. */
  value(): Value | undefined
  end(): void
}

export interface QuietFolders {
  /** Undefined where the kernel has no queue for us, or no room for more. */
  begin<Value>(): Watched<Value> | undefined
  /** Folders that are watched. */
  readonly count: number
  close(): void
}

interface QuietOptions {
  /** Sets a watch in a queue of the kernel: in a thread, because it may wait for the disk. */
  watchFolder(folder: VirtualPath, inotify: number, part: WatchedPart): Promise<FolderInQueue>
  mostWatches?: number
  /** In milliseconds. */
  idleAfter?: number
}

/** `isRemote`: others may change it without this machine's kernel knowing. */
export type FolderInQueue = WatchedFolder & { readonly isRemote: boolean }

/** Of one open queue. Its number may be used again after it was closed, so it is kept open while a thread knows it. */
interface Queue {
  readonly fd: number
  /** For which threads are about to set watches. */
  readonly adding: Set<Adding>
  /** Watches that nothing may depend on any more. They are removed once no thread is about to set one of them again. */
  readonly loose: Set<number>
  isOver: boolean
}

interface Adding {
  readonly state: State
}

interface State {
  isOver: boolean
  value: unknown
  readonly watches: Set<number>
}

/** At most so many buffers at once: a folder in which so much happens is read anew. */
const mostReads = 4

export function quietFolders({ watchFolder, mostWatches = 1000, idleAfter = 60_000 }: QuietOptions): QuietFolders {
  const byWatch = new Map<number, Map<State, WatchedPart>>()
  let queue: Queue | undefined
  let isClosed = false
  let refusedAt = Number.NEGATIVE_INFINITY
  let wasUsed = false
  let timer: Timer | undefined

  function open(): Queue | undefined {
    if (queue !== undefined || isClosed || performance.now() - refusedAt < idleAfter) return queue
    try {
      queue = { fd: openInotify(), adding: new Set(), loose: new Set(), isOver: false }
      timer = setInterval(closeIdle, idleAfter).unref()
    } catch {
      refusedAt = performance.now()
    }
    return queue
  }

  function closeIdle(): void {
    if (!wasUsed) closeQueue()
    wasUsed = false
  }

  function closeQueue(): void {
    clearInterval(timer)
    const closing = queue
    queue = undefined
    for (const states of byWatch.values()) for (const state of states.keys()) forget(state)
    byWatch.clear()
    if (closing === undefined) return
    closing.isOver = true
    if (closing.adding.size === 0) closeBeside(closing.fd)
  }

  function forget(state: State): void {
    state.isOver = true
    state.value = undefined
  }

  function end(state: State): void {
    forget(state)
    for (const watch of state.watches) {
      const states = byWatch.get(watch)
      states?.delete(state)
      if (states?.size === 0) drop(watch)
    }
    state.watches.clear()
  }

  /** A thread that is about to watch the same folder would get a number that means nothing any more. */
  function drop(watch: number): void {
    queue?.loose.add(watch)
    removeLoose()
  }

  function removeLoose(): void {
    if (queue === undefined || queue.adding.size > 0) return
    for (const watch of queue.loose) {
      if ((byWatch.get(watch)?.size ?? 0) > 0) continue
      byWatch.delete(watch)
      removeWatch(queue.fd, watch)
    }
    queue.loose.clear()
  }

  /** What has happened until now: the kernel tells of a change before the call that made it returns. */
  function readQueue(): void {
    try {
      for (let reads = 0; queue !== undefined; reads += 1) {
        const events = readEvents(queue.fd)
        if (events.length === 0) return
        const isTooMuch = reads === mostReads || events.some(({ mask }) => mask & IN.Q_OVERFLOW)
        if (isTooMuch) closeQueue()
        else for (const event of events) take(event)
      }
    } catch {
      closeQueue()
    }
  }

  function take(event: FolderEvent): void {
    endUnsure(event)
    const states = byWatch.get(event.watch)
    if (states === undefined || states.size === 0) drop(event.watch)
    else for (const [state, part] of [...states]) if (concerns(event, part)) end(state)
  }

  /** A folder that is replaced may be one whose watch is set, while its number is still on its way here. */
  function endUnsure({ watch, name, mask }: FolderEvent): void {
    if (queue === undefined || name !== '' || mask & IN.IGNORED) return
    for (const { state } of [...queue.adding]) if (!state.watches.has(watch)) end(state)
  }

  async function add(at: Queue, state: State, folder: VirtualPath, part: WatchedPart): Promise<string | undefined> {
    if (at.isOver || state.isOver) return undefined
    const adding = { state }
    at.adding.add(adding)
    try {
      const { watch, id, hasOwn, hasShared, isRemote } = await watchFolder(folder, at.fd, part)
      if (watch !== undefined) at.loose.add(watch)
      // What belongs to the product is told like all else, and not shown.
      if (watch === undefined || isRemote || (showsFiles(part) && (hasOwn || hasShared))) return undefined
      if (at.isOver || state.isOver) return undefined
      const states = byWatch.get(watch) ?? new Map<State, WatchedPart>()
      byWatch.set(watch, states)
      states.set(state, states.has(state) ? 'contents' : part)
      state.watches.add(watch)
      return id
    } catch (error) {
      // A disk that has not answered is not waited for once more.
      if (isFailure(error, 'unavailable')) throw error
      // It is not there any more: the look at it will tell.
      return undefined
    } finally {
      at.adding.delete(adding)
      if (!at.isOver) removeLoose()
      else if (at.adding.size === 0) closeBeside(at.fd)
    }
  }

  return {
    begin<Value>(): Watched<Value> | undefined {
      if (byWatch.size + (queue?.loose.size ?? 0) >= mostWatches) closeQueue()
      const at = open()
      if (at === undefined) return undefined
      const state: State = { isOver: false, value: undefined, watches: new Set() }
      return {
        add: (folder, part) => add(at, state, folder, part),
        keep(value) {
          if (!state.isOver) state.value = value
        },
        value() {
          wasUsed = true
          if (!state.isOver) readQueue()
          return state.value as Value | undefined
        },
        end: () => end(state),
      }
    },
    get count() {
      return byWatch.size
    },
    close() {
      isClosed = true
      closeQueue()
    },
  }
}

const showsFiles = (part: WatchedPart): boolean => part === 'contents' || part === 'files'

const ofNames = IN.CREATE | IN.DELETE | IN.MOVED_FROM | IN.MOVED_TO

const concerns = ({ name, mask }: FolderEvent, part: WatchedPart): boolean =>
  name === '' || showsFiles(part) || (part === 'names' && (mask & ofNames) !== 0)
