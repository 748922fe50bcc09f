import { hasRight, type Right } from '@filestead/contract'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import { marked, replacementMark } from '../storage/exact-names.ts'
import { inFolder, type VirtualPath } from '../storage/path.ts'
import { type Entry, type FindOptions, LinkInTheWay, type Listing, type OpenFile } from '../storage/port.ts'
import { bothOf } from './granted.ts'
import { asShown, type Lookup, shownAs } from './lookup.ts'
import { describeOutlined, outlineOf } from './outline.ts'
import { everyName, type Visibility, withoutDot } from './rules.ts'
import type { FoundInScope, ListInScopeOptions, Scope } from './scope.ts'
import { walkNames } from './walk.ts'

type Reading = Pick<
  Scope,
  | 'stat'
  | 'list'
  | 'listUnfollowed'
  | 'outline'
  | 'describe'
  | 'namesInOrder'
  | 'rowsOf'
  | 'peek'
  | 'walk'
  | 'readFiles'
  | 'readInPlaces'
  | 'open'
  | 'readHead'
  | 'find'
  | 'usage'
>

/** The verbs of a scope that change nothing. */
export function readingIn(lookup: Lookup): Reading {
  const { storage, look, through, resolve, meant, stat, followed, rightsAt } = lookup
  const { visibility, rights } = lookup.view
  const parts = { storage, visibility, followed }

  async function listed(
    folder: VirtualPath,
    real: VirtualPath,
    signal?: Cancellation,
    { follows = true, right, ...options }: { follows?: boolean } & ListInScopeOptions = {},
  ): Promise<Listing> {
    return visibleIn(await storage.list(real, signal, options), folder, real, signal, { follows, right })
  }

  async function visibleIn(
    { entries: found, folder: self }: Listing,
    folder: VirtualPath,
    real: VirtualPath,
    signal: Cancellation | undefined,
    { follows, right }: { follows: boolean; right?: Right | undefined },
  ): Promise<Listing> {
    const isVisible = visibility.inFolder(folder)
    const isVisibleThere = real === folder ? isVisible : visibility.inFolder(real)
    const isMeant = right === undefined || rights === undefined ? every : withRight(right, folder, real)
    const isPlain = isMeant === every && real === folder && !found.some(({ isLink }) => isLink)
    if (isPlain && isVisible === everyName) return { folder: self, entries: found }
    const shown = lastShown.get(found)
    if (isPlain && shown?.visibility === visibility && shown.folder === folder)
      return { folder: self, entries: shown.entries }
    const entries: Entry[] = []
    const pause = timeSlices(signal)
    for (const entry of found) {
      const rest = pause()
      if (rest !== undefined) await rest
      if (!isVisible(entry.name) || !isVisibleThere(entry.name) || !isMeant(entry)) continue
      const target = entry.isLink ? await followed(entry, inFolder(real, entry.exact ?? entry.name), right) : entry
      if (target !== undefined) entries.push(follows ? target : entry)
    }
    if (isPlain && found.length <= mostKept)
      return { folder: self, entries: keepShown(found, { visibility, folder, entries }) }
    return { folder: real === folder ? self : await stat(folder), entries }
  }

  /** Entries with a right, and folders that lead on to some. */
  function withRight(right: Right, folder: VirtualPath, real: VirtualPath): (entry: Entry) => boolean {
    if (rights === undefined) return every
    const places = [rights.rightsIn(folder), ...(real === folder ? [] : [rights.rightsIn(real)])]
    return ({ name, kind }) =>
      places.every((grants) => hasRight(grants.rightsOf(name), right) || (kind === 'folder' && grants.leadsOn(name)))
  }

  const openWith = (file: VirtualPath, needed: readonly Right[]): Promise<OpenFile> =>
    through(file, needed, async (at) => {
      const opened = await storage.open(at)
      const entry = shownAs(file, opened.entry)
      return entry === opened.entry ? opened : { ...opened, entry }
    })

  async function find(
    path: VirtualPath,
    { right, ...options }: FindOptions & { right?: Right },
  ): Promise<FoundInScope> {
    const needed = right === undefined ? [] : [right]
    look(path)
    const real = path.includes(replacementMark) ? await meant(path) : path
    try {
      const { entry, file, entries } = await storage.find(real, options)
      if (entries !== undefined) return await foundIn({ folder: entry, entries }, path, real, options.signal)
      const shown = shownAs(path, entry)
      const found = { entry: shown, file: file && (shown === entry ? file : { ...file, entry: shown }) }
      return withheldUnless(needed, { ...found, ...rightsOf(entry, path) }, () => look(path, ...needed))
    } catch (error) {
      if (!(error instanceof LinkInTheWay)) throw error
      return findThroughLinks(path, needed, options)
    }
  }

  /** A file is closed where the right to it lacks. A folder is not read as a whole, so its entries are asked for the right. */
  function withheldUnless(needed: readonly Right[], found: FoundInScope, require: () => void): FoundInScope {
    if (needed.length === 0 || found.entry.kind === 'folder') return found
    try {
      require()
      return found
    } catch (error) {
      found.file?.close()
      throw error
    }
  }

  /** What grants allow at a path, and where it really leads to. */
  function rightsOf(
    { kind }: Entry,
    path: VirtualPath,
    real: VirtualPath = path,
  ): Pick<FoundInScope, 'can' | 'grants'> {
    if (rights === undefined) return { can: rightsAt(path) }
    const can = rightsAt(path) & rightsAt(real)
    if (kind !== 'folder') return { can }
    const grants = rights.rightsIn(asShown(path))
    return { can, grants: real === path ? grants : bothOf(grants, rights.rightsIn(asShown(real))) }
  }

  async function foundIn(
    found: Listing,
    path: VirtualPath,
    real: VirtualPath,
    signal?: Cancellation,
  ): Promise<FoundInScope> {
    const { folder, entries } = await visibleIn(found, path, real, signal, { follows: true })
    return { entry: folder, entries, ...rightsOf(folder, path, real) }
  }

  async function findThroughLinks(
    path: VirtualPath,
    needed: readonly Right[],
    options: FindOptions,
  ): Promise<FoundInScope> {
    const { lists, largestOpened = Number.POSITIVE_INFINITY, signal } = options
    const entry = await stat(path)
    const at = look(await resolve(await meant(path)))
    const found = { entry, ...rightsOf(entry, path, at) }
    if (entry.kind === 'file') {
      look(path, ...needed)
      look(at, ...needed)
      return entry.size > largestOpened ? found : { ...found, file: await openWith(path, needed) }
    }
    if (entry.kind !== 'folder' || !lists) return found
    try {
      const { entry: folder, entries, file } = await storage.find(at, options)
      file?.close()
      return entries === undefined ? found : await foundIn({ folder, entries }, path, at, signal)
    } catch (error) {
      // A symlink that leads out of the storage: its names are read without being found first, as those of a large folder.
      if (error instanceof LinkInTheWay) return found
      throw error
    }
  }

  async function headOf(path: VirtualPath): Promise<Uint8Array> {
    const file = await openWith(path, []).catch(() => undefined)
    try {
      return (await file?.head()) ?? new Uint8Array()
    } finally {
      file?.close()
    }
  }

  /** None of the names is hidden or withheld, or stands for another one. */
  function mayReadAll(folder: VirtualPath, at: VirtualPath, names: readonly string[]): boolean {
    const places = [...new Set([asShown(folder), asShown(at)])]
    const tests = places.map((place) => visibility.inFolder(place))
    const grants = rights === undefined ? [] : places.map((place) => rights.rightsIn(place))
    return names.every(
      (name) =>
        !name.includes(replacementMark) &&
        tests.every((isVisible) => isVisible(marked(name))) &&
        grants.every(({ rightsOf }) => hasRight(rightsOf(marked(name)), 'download')),
    )
  }

  return {
    stat,
    list: (folder, signal, options) => through(folder, [], (at) => listed(folder, at, signal, options)),
    outline: (folder, signal) => through(folder, [], (real) => outlineOf(parts, { folder, real }, signal)),
    describe: (folder, outlined, signal) =>
      through(folder, [], (real) => describeOutlined(parts, real, outlined, signal)),
    namesInOrder: (folder, sorting, signal) =>
      through(folder, [], async (real) => {
        const tests = [folder, real].map((place) => visibility.inFolder(place))
        if (!tests.every((test) => test === everyName || test === withoutDot)) return undefined
        return storage.rows?.namesInOrder(real, { sorting, showsDotfiles: !tests.includes(withoutDot) }, signal)
      }),
    rowsOf: (folder, names, form, signal) =>
      through(folder, [], async (real) => {
        if (storage.rows === undefined) throw new Error('The storage has made no list of names')
        return storage.rows.rowsOf(real, names, form, signal)
      }),
    listUnfollowed: (folder, signal, hold) =>
      through(folder, [], (at) => listed(folder, at, signal, { follows: false, isOnce: true, hold })),

    async peek(folder, entries, signal) {
      const names = entries.filter(({ isLink }) => !isLink).map(({ name, exact }) => exact ?? name)
      const heads = new Map(await through(folder, [], (at) => storage.peek(at, names, signal)))
      const pause = timeSlices(signal)
      for (const { name, exact = name, isLink } of entries) {
        if (!isLink) continue
        heads.set(exact, await headOf(inFolder(folder, exact)))
        await pause()
      }
      return heads
    },

    walk: (folder, signal, filter) =>
      through(folder, [], async (real) => {
        const names = await storage.names(real, signal, { filter })
        return walkNames(storage, visibility, { folder, real, names }, { signal, filter })
      }),

    // What is refused, and why, or which file a name with marks means, is told when the file is opened by itself.
    readFiles: (folder, names, room) =>
      through(folder, [], async (at) =>
        mayReadAll(folder, at, names) ? storage.readFiles(at, names, room) : names.map(() => undefined),
      ),
    readInPlaces: (folder, places) =>
      through(folder, [], async (at) =>
        mayReadAll(folder, at, places.names) ? storage.readInPlaces?.(at, places) : undefined,
      ),
    open: (file) => openWith(file, ['download']),
    readHead: (file) =>
      through(file, ['download'], async (at) => {
        const { entry, head } = await storage.readHead(at)
        return { entry: shownAs(file, entry), head }
      }),
    find,
    usage: (folder) => through(folder, [], (at) => storage.usage(at)),
  }
}

const every = () => true

/** What is left of a larger folder is not kept. */
const mostKept = 1000

interface Shown {
  readonly visibility: Visibility
  readonly folder: VirtualPath
  readonly entries: readonly Entry[]
}

/**
 * What was left of the entries of a folder the last time. The storage returns the same array while nothing changed; so
 * does this, and what others have made of it is still good.
 */
const lastShown = new WeakMap<readonly Entry[], Shown>()

function keepShown(found: readonly Entry[], { visibility, folder, entries: seen }: Shown): readonly Entry[] {
  const entries = seen.length === found.length ? found : seen
  lastShown.set(found, { visibility, folder, entries })
  return entries
}
