import { nameOf, type Usage } from '@filestead/contract'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import { Failure, isFailure } from '../failure.ts'
import { marked, readable, replacementMark } from '../storage/exact-names.ts'
import type { NameFilter } from '../storage/name-filter.ts'
import { inFolder, parentOf, rebase, type VirtualPath } from '../storage/path.ts'
import {
  type DraftAccess,
  type Entry,
  type FileHead,
  type FindOptions,
  type Found,
  type Hold,
  type LastBytes,
  LinkInTheWay,
  type Listing,
  type ListOptions,
  type OpenDraft,
  type OpenFile,
  type RemoveOptions,
  type Storage,
  type TransferOptions,
  type WholeFile,
  type WriteOptions,
} from '../storage/port.ts'
import type { Actor } from './actor.ts'
import { describeOutlined, type Outlined, outlineOf } from './outline.ts'
import { type Visibility, visibilityOf } from './rules.ts'
import { type Run, walkNames } from './walk.ts'

/**
 * The files as one actor sees them: what the rules hide is not there, and links are followed as far as they lead to
 * something visible. The domain never holds any other view, so no verb can forget to ask.
 */
export interface Scope {
  readonly actor: Actor
  /** A link shows the kind and size of its target. */
  stat(path: VirtualPath): Promise<Entry>
  /** Links in the folder show all facts of their targets. */
  list(folder: VirtualPath, signal?: Cancellation, options?: ListOptions): Promise<Listing>
  /** The same, but links show their own facts. */
  listUnfollowed(folder: VirtualPath, signal?: Cancellation, hold?: Hold): Promise<Listing>
  /** The names in a folder: of a large one, which is not listed at once, this is enough to sort it. */
  outline(folder: VirtualPath, signal?: Cancellation): Promise<Outlined[]>
  /** The entries of some of them, in their order and as `list` tells them; those that are gone by now are left out. */
  describe(folder: VirtualPath, outlined: readonly Outlined[], signal?: Cancellation): Promise<Entry[]>
  /** The first bytes of entries of a listing, by name; links are followed. */
  peek(folder: VirtualPath, entries: readonly Entry[], signal?: Cancellation): Promise<ReadonlyMap<string, Uint8Array>>
  /** The names of everything below a folder, in order; what the filter leaves out may be missing. Links are named, not followed. */
  walk(folder: VirtualPath, signal?: AbortSignal, filter?: NameFilter): Promise<AsyncGenerator<Run>>
  /** As in the storage: small files of a folder as a whole, as many as fit. */
  readFiles(folder: VirtualPath, names: readonly string[], room: number): Promise<readonly (WholeFile | undefined)[]>
  open(file: VirtualPath): Promise<OpenFile>
  readHead(file: VirtualPath): Promise<FileHead>
  /** `stat`, and then `open` or `list`, with one look at the disk where no link is in the way. */
  find(path: VirtualPath, options: FindOptions): Promise<Found>
  /** As in the storage; `note` as of `beginDraft`. */
  write(file: VirtualPath, bytes: AsyncIterable<Uint8Array>, options: WriteOptions, note?: NotePlace): Promise<Entry>
  /** As in the storage, but first `note` is told where the draft will really lie. */
  beginDraft(file: VirtualPath, id: string, options: WriteOptions, note: NotePlace): Promise<number>
  openDraft(draft: DraftPlace, access?: DraftAccess): Promise<OpenDraft>
  completeDraft(draft: DraftPlace, last: LastBytes, options: WriteOptions): Promise<Entry>
  dropDraft(draft: DraftPlace): Promise<void>
  /** Refuses what the rules deny, before anything is looked up. */
  requireVisible(path: VirtualPath): void
  createFolder(folder: VirtualPath): Promise<void>
  rename(from: VirtualPath, to: VirtualPath, options: TransferOptions): Promise<void>
  copy(from: VirtualPath, to: VirtualPath, options: TransferOptions): Promise<void>
  remove(path: VirtualPath, options?: RemoveOptions): Promise<void>
  usage(folder: VirtualPath): Promise<Usage>
}

type NotePlace = (place: VirtualPath) => Promise<void>

/** A kept draft: for the file at `path`, which was found to lie at `place` when the draft was begun. */
export interface DraftPlace {
  readonly id: string
  readonly path: VirtualPath
  readonly place: VirtualPath
}

export function scopeOf(
  actor: Actor,
  storage: Storage,
  visibility: Visibility = visibilityOf(actor.rules, actor.user.hideDotfiles, storage.capabilities),
): Scope {
  function look(path: VirtualPath): VirtualPath {
    // Refused before anything is looked up, so the answer does not tell whether the path exists.
    if (!visibility.sees(asShown(path))) throw new Failure('forbidden', 'Not allowed')
    return path
  }

  /** Runs strict verbs, again when a link turned up after the path was resolved. */
  async function persistently<T>(work: (tries: number) => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries += 1) {
      try {
        return await work(tries)
      } catch (error) {
        if (!(error instanceof LinkInTheWay)) throw error
        if (tries === 3) throw new Failure('not-found', 'The links keep changing')
      }
    }
  }

  /** Names that are not UTF-8 are shown with marks, and asked for with them. */
  const meant = async (path: VirtualPath): Promise<VirtualPath> =>
    path.includes(replacementMark) ? look(await storage.exact(path)) : path

  /** Follows links only when one is met, and asks the rules about the place they lead to. */
  function through<T>(asked: VirtualPath, work: (path: VirtualPath) => Promise<T>): Promise<T> {
    look(asked)
    return persistently(async (tries) => {
      const path = asked.includes(replacementMark) ? await meant(asked) : asked
      return work(tries === 0 ? path : look(await storage.resolve(path)))
    })
  }

  /** A draft stays where it was begun; links that have changed since then lead to other drafts or to none. */
  async function inPlace<T>({ path, place }: DraftPlace, work: (at: VirtualPath) => Promise<T>): Promise<T> {
    look(path)
    try {
      // Noted as text, where a byte that is none is a mark.
      return await work(await meant(look(place)))
    } catch (error) {
      if (!(error instanceof LinkInTheWay)) throw error
      throw new Failure('not-found', 'A link stands in the way')
    }
  }

  /** Where a name really lies, for verbs that treat a link itself and not what it points to. */
  async function placeOf(asked: VirtualPath): Promise<VirtualPath> {
    look(asked)
    if (asked === '/') return asked
    const path = await meant(asked)
    return look(inFolder(look(await storage.resolve(parentOf(path))), nameOf(path)))
  }

  async function targetOf(path: VirtualPath): Promise<Entry | undefined> {
    try {
      return await storage.stat(look(await storage.resolve(await meant(path))))
    } catch (error) {
      if (isFailure(error, 'not-found')) return undefined
      throw error
    }
  }

  /** A link as what it leads to; nothing where that is not for the actor's eyes. */
  async function followed(entry: Entry, path: VirtualPath): Promise<Entry | undefined> {
    try {
      const { name, exact } = entry
      return ((await targetOf(path)) ?? entry).with({ name, exact, isLink: true })
    } catch (error) {
      if (isFailure(error, 'forbidden')) return undefined
      throw error
    }
  }

  const parts = { storage, visibility, followed }

  async function stat(path: VirtualPath): Promise<Entry> {
    look(path)
    const found = await persistently(async (tries) =>
      storage.stat(tries > 0 ? await placeOf(path) : path.includes(replacementMark) ? await meant(path) : path),
    )
    const entry = shownAs(path, found)
    if (!entry.isLink) return entry
    const target = await targetOf(path)
    return target === undefined ? entry : entry.with({ kind: target.kind, size: target.size, modeKind: 'link' })
  }

  const listed = async (
    folder: VirtualPath,
    real: VirtualPath,
    signal?: Cancellation,
    { follows = true, ...options }: { follows?: boolean } & ListOptions = {},
  ): Promise<Listing> => visibleIn(await storage.list(real, signal, options), folder, real, signal, { follows })

  async function visibleIn(
    { entries: found, folder: self }: Listing,
    folder: VirtualPath,
    real: VirtualPath,
    signal: Cancellation | undefined,
    { follows }: { follows: boolean },
  ): Promise<Listing> {
    const isVisible = visibility.inFolder(folder)
    const isVisibleThere = real === folder ? isVisible : visibility.inFolder(real)
    if (visibility.hidesNothing && real === folder && !found.some(({ isLink }) => isLink))
      return { folder: self, entries: found }
    const entries: Entry[] = []
    const pause = timeSlices(signal)
    for (const entry of found) {
      const rest = pause()
      if (rest !== undefined) await rest
      if (!isVisible(entry.name) || !isVisibleThere(entry.name)) continue
      const shown = entry.isLink ? await followed(entry, inFolder(real, entry.exact ?? entry.name)) : entry
      if (shown !== undefined) entries.push(follows ? shown : entry)
    }
    return { folder: real === folder ? self : await stat(folder), entries }
  }

  /** A folder is moved, copied or removed as a whole, so everything in it must be open to the one who asks. */
  async function requireAllBelow(folder: VirtualPath, moveTo?: VirtualPath, signal?: Cancellation): Promise<void> {
    const [leaves, arrives] = [asShown(folder), asShown(moveTo ?? folder)]
    if (!visibility.mayDenyBelow(leaves) && !visibility.mayDenyBelow(arrives)) return
    if ((await storage.stat(folder)).kind !== 'folder') return
    await storage.visitBelow(folder, (path) => {
      signal?.throwIfAborted()
      const below = asShown((folder === '/' ? path : path.slice(folder.length)) as VirtualPath)
      // Both folders are permitted, and nothing is met below one that is not.
      if (visibility.denies(rebase(leaves, below)) || visibility.denies(rebase(arrives, below)))
        throw new Failure('forbidden', 'Not allowed')
    })
  }

  const open = (file: VirtualPath): Promise<OpenFile> =>
    through(file, async (at) => {
      const opened = await storage.open(at)
      const entry = shownAs(file, opened.entry)
      return entry === opened.entry ? opened : { ...opened, entry }
    })

  async function find(path: VirtualPath, options: FindOptions): Promise<Found> {
    look(path)
    const real = path.includes(replacementMark) ? await meant(path) : path
    try {
      const { entry, file, entries } = await storage.find(real, options)
      if (entries !== undefined) return await foundIn({ folder: entry, entries }, path, real, options.signal)
      const shown = shownAs(path, entry)
      return { entry: shown, file: file && (shown === entry ? file : { ...file, entry: shown }) }
    } catch (error) {
      if (!(error instanceof LinkInTheWay)) throw error
      return findThroughLinks(path, options)
    }
  }

  async function foundIn(found: Listing, path: VirtualPath, real: VirtualPath, signal?: Cancellation): Promise<Found> {
    const { folder, entries } = await visibleIn(found, path, real, signal, { follows: true })
    return { entry: folder, entries }
  }

  async function findThroughLinks(path: VirtualPath, options: FindOptions): Promise<Found> {
    const { lists, largestOpened = Number.POSITIVE_INFINITY, signal } = options
    const entry = await stat(path)
    if (entry.kind === 'file') return entry.size > largestOpened ? { entry } : { entry, file: await open(path) }
    if (entry.kind !== 'folder' || !lists) return { entry }
    const at = look(await storage.resolve(await meant(path)))
    try {
      const { entry: folder, entries, file } = await storage.find(at, options)
      file?.close()
      return entries === undefined ? { entry } : await foundIn({ folder, entries }, path, at, signal)
    } catch (error) {
      // A symlink that leads out of the storage: its names are read without being found first, as those of a large folder.
      if (error instanceof LinkInTheWay) return { entry }
      throw error
    }
  }

  const list = (folder: VirtualPath, signal?: Cancellation, options?: ListOptions) =>
    through(folder, (at) => listed(folder, at, signal, options))

  async function headOf(path: VirtualPath): Promise<Uint8Array> {
    const file = await open(path).catch(() => undefined)
    try {
      return (await file?.head()) ?? new Uint8Array()
    } finally {
      file?.close()
    }
  }

  return {
    actor,

    stat,
    list,
    outline: (folder, signal) => through(folder, (real) => outlineOf(parts, { folder, real }, signal)),
    describe: (folder, outlined, signal) => through(folder, (real) => describeOutlined(parts, real, outlined, signal)),
    listUnfollowed: (folder, signal, hold) =>
      through(folder, (at) => listed(folder, at, signal, { follows: false, isOnce: true, hold })),

    async peek(folder, entries, signal) {
      const names = entries.filter(({ isLink }) => !isLink).map(({ name }) => name)
      const heads = new Map(await through(folder, (at) => storage.peek(at, names, signal)))
      const pause = timeSlices(signal)
      for (const { name, isLink } of entries) {
        if (!isLink) continue
        heads.set(name, await headOf(inFolder(folder, name)))
        await pause()
      }
      return heads
    },

    walk: (folder, signal, filter) =>
      through(folder, async (real) => {
        const names = await storage.names(real, signal, { filter })
        return walkNames(storage, visibility, { folder, real, names }, { signal, filter })
      }),

    readFiles: (folder, names, room) =>
      through(folder, async (at) => {
        const isVisible = visibility.inFolder(asShown(folder))
        const isVisibleThere = visibility.inFolder(asShown(at))
        // What is refused, and why, or which file a name with marks means, is told when the file is opened by itself.
        const areAllPlain = names.every(
          (name) => isVisible(marked(name)) && isVisibleThere(marked(name)) && !name.includes(replacementMark),
        )
        return areAllPlain ? storage.readFiles(at, names, room) : names.map(() => undefined)
      }),
    open,
    readHead: (file) =>
      through(file, async (at) => {
        const { entry, head } = await storage.readHead(at)
        return { entry: shownAs(file, entry), head }
      }),
    find,
    write: (file, bytes, options, note) =>
      through(file, async (at) => {
        await note?.(at)
        return storage.write(at, bytes, options)
      }),

    beginDraft: (file, id, options, note) =>
      through(file, async (at) => {
        await note(at)
        return storage.beginDraft(at, id, options)
      }),
    openDraft: (draft, access) => inPlace(draft, (at) => storage.openDraft(at, draft.id, access)),
    completeDraft: (draft, last, options) => inPlace(draft, (at) => storage.completeDraft(at, draft.id, last, options)),
    dropDraft: (draft) => inPlace(draft, (at) => storage.dropDraft(at, draft.id)),
    requireVisible: (path) => void look(path),

    createFolder: (folder) => through(folder, (at) => storage.createFolder(at)),

    rename: (from, to, options) =>
      persistently(async () => {
        const [source, target] = [await placeOf(from), await placeOf(to)]
        await requireAllBelow(source, target, options.signal)
        await storage.rename(source, target, options)
      }),

    copy: (from, to, options) =>
      persistently(async () => {
        look(from)
        const [source, target] = [look(await storage.resolve(await meant(from))), await placeOf(to)]
        await requireAllBelow(source, target, options.signal)
        await storage.copy(source, target, options)
      }),

    remove: (path, options) =>
      persistently(async () => {
        const place = await placeOf(path)
        await requireAllBelow(place, undefined, options?.signal)
        await storage.remove(place, options)
      }),

    usage: (folder) => through(folder, (at) => storage.usage(at)),
  }
}

/** Rules are written about names as they are shown, and know no exact ones. */
const asShown = (path: VirtualPath): VirtualPath => marked(path) as VirtualPath

/** What was asked for under a name with marks is told under it, too. */
const shownAs = (path: VirtualPath, entry: Entry): Entry =>
  entry.name.isWellFormed() ? entry : entry.with({ name: readable(nameOf(path)), exact: entry.name })

export const byName = (entries: readonly Entry[]): Entry[] => entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
