import type { Scope } from '../access/scope.ts'
import { isWithin, type Location } from '../mounts/location.ts'
import type { VirtualPath } from '../storage/path.ts'
import { type Dirty, eventFor, mostNames } from './deltas.ts'
import { type FolderEvent, folderEvent, type Listener, staleEvent } from './listener.ts'

/** Tells of what changes in a folder by other programs. */
export type WatchFolder = (folder: Location, told: FolderTold) => FolderWatch

export type FolderTold = (dirty: Dirty) => void

export interface FolderWatch {
  /** Over when changes are noticed from now on. */
  readonly ready: Promise<void>
  stop(): void
}

/** The folders that are open in some client, each with its listeners, and the names in it that are to be told. */
export interface OpenFolders {
  /** `isReal`: its disk is asked, too; without it only our own changes are told. */
  add(folder: Location, isReal: boolean, listener: Listener, path: VirtualPath): OpenFolder
  remove(listener: Listener): void
  find(folder: Location): OpenFolder | undefined
  /** Those at or below a place. */
  within(place: Location): OpenFolder[]
  /** Names are told soon; `number` is that of the news. */
  touch(folder: OpenFolder, dirty: Dirty, number: number): void
  /** The first news that a listener has not been told yet, of all its folders but one; undefined where nothing waits. */
  firstUntold(listener: Listener, except?: OpenFolder): number | undefined
  readonly watched: number
  /** Ends the watches of folders that are open nowhere since a while. True while some are left. */
  sweep(): boolean
  close(): void
}

export interface OpenFolder {
  readonly location: Location
  /** Changes by other programs are known from the news after this one on. */
  watchedSince: number
  watch: FolderWatch | undefined
}

interface Held extends OpenFolder {
  readonly listeners: Map<Listener, Set<VirtualPath>>
  dirty: { names: Map<string, boolean>; isStale: boolean; leading: Map<string, Location[]> } | undefined
  /** Of what is dirty, and of what is being told. */
  firstNumber: number | undefined
  firstTelling: number | undefined
  timer: NodeJS.Timeout | undefined
  /** In milliseconds: when it was told last, and how long that took. */
  toldAt: number
  took: number
  isTelling: boolean
  emptySince: number | undefined
}

export interface FolderDeps {
  watch: WatchFolder
  detectByContent: boolean
  /** The scope of a listener as it is now; undefined where its session has ended, and so has the listener. */
  scopeOf(listener: Listener): Promise<Scope | undefined>
  /** The id of an event with which a listener knows all news of this folder up to a number. */
  idAt(listener: Listener, folder: OpenFolder, number: number): string
  /** The number of the last news, and one of its own for this moment. */
  last(): number
  mark(): number
  /** A folder that is watched has news. */
  told(folder: Location, dirty: Dirty): void
  /** In milliseconds: so long a folder is watched after its last listener has left, so that one that comes back has missed nothing. */
  lingerFor?: number
}

/** In milliseconds: what changes in so much time is told at once; the first change is told without waiting. */
const coalesceFor = 100
/** That a name leads to; what is made there is seen by the watch as well. */
const mostPlaces = 100
/** While telling takes long, so much of the time is left for others. */
const rest = 5

export function openFolders(deps: FolderDeps): OpenFolders {
  const { lingerFor = 60_000 } = deps
  const folders = new Map<Location, Held>()
  /** Those with something to tell. */
  const pending = new Set<Held>()

  function open(location: Location): Held {
    const held: Held = {
      location,
      watch: undefined,
      watchedSince: Number.POSITIVE_INFINITY,
      listeners: new Map(),
      dirty: undefined,
      firstNumber: undefined,
      firstTelling: undefined,
      timer: undefined,
      toldAt: 0,
      took: 0,
      isTelling: false,
      emptySince: undefined,
    }
    folders.set(location, held)
    return held
  }

  function watch(held: Held): void {
    held.watch = deps.watch(held.location, (dirty) => deps.told(held.location, dirty))
    void held.watch.ready.then(() => {
      held.watchedSince = deps.mark()
    })
  }

  function close(held: Held): void {
    clearTimeout(held.timer)
    pending.delete(held)
    held.watch?.stop()
    folders.delete(held.location)
  }

  function plan(held: Held): void {
    if (held.isTelling || held.timer !== undefined) return
    const wait = held.toldAt + Math.max(coalesceFor, held.took * rest) - performance.now()
    held.timer = setTimeout(() => void tell(held), Math.max(0, wait)).unref()
  }

  async function tell(held: Held): Promise<void> {
    held.timer = undefined
    const { dirty } = held
    if (dirty === undefined) return
    held.dirty = undefined
    held.firstTelling = held.firstNumber
    held.firstNumber = undefined
    held.isTelling = true
    const began = performance.now()
    try {
      await tellAll(held, dirty)
    } finally {
      held.isTelling = false
      held.toldAt = performance.now()
      held.took = held.toldAt - began
      held.firstTelling = undefined
      if (held.dirty === undefined) pending.delete(held)
      if (held.dirty !== undefined) plan(held)
    }
  }

  /** Each account is looked for once, also where it listens many times; never fails. */
  async function tellAll(held: Held, dirty: Dirty): Promise<void> {
    const { location, listeners } = held
    const upTo = deps.last()
    const made = new Map<string, FolderEvent | 'lost' | undefined>()
    for (const [listener, paths] of [...listeners]) {
      const scope = await deps.scopeOf(listener).catch(() => undefined)
      if (scope === undefined) continue
      for (const path of paths) {
        const key = `${scope.actor.user.id} ${path}`
        if (!made.has(key)) made.set(key, await eventOf(scope, path, location, dirty))
        const event = made.get(key)
        if (event === 'lost') {
          paths.delete(path)
          if (paths.size === 0) listeners.delete(listener)
          listener.sendAbout(path, staleEvent(path), deps.idAt(listener, held, upTo))
        } else if (event !== undefined) listener.sendAbout(path, event, deps.idAt(listener, held, upTo))
      }
    }
  }

  /** Whatever goes wrong, the client lists the folder again, and is told what it is. */
  async function eventOf(
    scope: Scope,
    path: VirtualPath,
    location: Location,
    dirty: Dirty,
  ): Promise<FolderEvent | 'lost' | undefined> {
    const wanted = { location, dirty, detectByContent: deps.detectByContent }
    const event = await eventFor(scope, path, wanted).catch(() => 'stale' as const)
    if (event === undefined || event === 'lost') return event
    return event === 'stale' ? staleEvent(path) : folderEvent({ name: 'folder', data: event })
  }

  /** A name that has changed itself is told whatever it leads to. */
  function add(dirty: NonNullable<Held['dirty']>, name: string, isRemoved: boolean, to?: readonly Location[]): void {
    const { names, leading } = dirty
    const places = leading.get(name)
    if (to === undefined) leading.delete(name)
    else if (places !== undefined) places.push(...to.slice(0, mostPlaces - places.length))
    else if (!names.has(name)) leading.set(name, [...to])
    names.set(name, isRemoved || names.get(name) === true)
  }

  return {
    add(location, isReal, listener, path) {
      const held = folders.get(location) ?? open(location)
      if (isReal && held.watch === undefined) watch(held)
      held.emptySince = undefined
      const paths = held.listeners.get(listener) ?? new Set()
      held.listeners.set(listener, paths.add(path))
      return held
    },
    remove(listener) {
      for (const held of folders.values())
        if (held.listeners.delete(listener) && held.listeners.size === 0) held.emptySince = performance.now()
    },
    find: (location) => folders.get(location),
    within: (place) => [...folders.values()].filter(({ location }) => isWithin(location, place)),
    touch(folder, { names, isStale, leading }, number) {
      const held = folder as Held
      if (held.listeners.size === 0) return
      held.dirty ??= { names: new Map(), isStale: false, leading: new Map() }
      const { dirty } = held
      dirty.isStale ||= isStale
      if (dirty.names.size <= mostNames)
        for (const [name, isRemoved] of names) add(dirty, name, isRemoved, leading?.get(name))
      held.firstNumber ??= number
      pending.add(held)
      plan(held)
    },
    firstUntold(listener, except) {
      let first = Number.POSITIVE_INFINITY
      for (const held of pending)
        if (held.listeners.has(listener))
          first = Math.min(first, held.firstNumber ?? first, (held === except ? undefined : held.firstTelling) ?? first)
      return Number.isFinite(first) ? first : undefined
    },
    get watched() {
      let count = 0
      for (const { watch } of folders.values()) if (watch !== undefined) count += 1
      return count
    },
    sweep() {
      const until = performance.now() - lingerFor
      for (const held of [...folders.values()])
        if (held.emptySince !== undefined && held.emptySince <= until && held.listeners.size === 0) close(held)
      return folders.size > 0
    },
    close() {
      for (const held of [...folders.values()]) close(held)
    },
  }
}
