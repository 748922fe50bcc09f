import { isInside, type Usage } from '@filestead/contract'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { Failure, isFailure } from '../failure.ts'
import { below, isWithin, type Location, locationIn, mountOf, pathIn } from '../mounts/location.ts'
import type { FolderRows } from '../storage/folder-rows.ts'
import { keepsNothing } from '../storage/keeping.ts'
import { rebase, restOf, rootPath, type VirtualPath } from '../storage/path.ts'
import type {
  BeginDraftOptions,
  Capabilities,
  DraftAccess,
  Entry,
  FileHead,
  FilesInPlace,
  FilledEntry,
  FindOptions,
  Found,
  Keep,
  LastBytes,
  Listing,
  ListOptions,
  Named,
  NamesOptions,
  OpenDraft,
  OpenFile,
  Places,
  RemoveOptions,
  RestoreOptions,
  Storage,
  WholeFile,
  WriteOptions,
} from '../storage/port.ts'
import type {
  PublishOptions,
  StageOptions,
  TransferKind,
  TransferOptions,
  UnstageOptions,
} from '../storage/transfer-options.ts'
import type { InPart, Part, Tree } from './tree.ts'
import { type TreeMounts, TreeTop, topOf } from './tree-top.ts'

/** A path in a part, and the storage that is asked for it. */
interface Reached extends InPart {
  readonly storage: Storage
  /** The path in that storage. */
  readonly at: VirtualPath
}

/** Both ends of a transfer, in the one storage that holds them or in two mounts. */
type Ends =
  | { readonly storage: Storage; readonly from: VirtualPath; readonly to: VirtualPath }
  | { readonly storage?: undefined; readonly from: Location; readonly to: Location }

/** How a home is asked for where grants lie in its mount. */
export interface StrictHome {
  /** Where it really lies. */
  readonly at: Location
  /** Called when there is a symlink in place of it. */
  moved(): void
}

/**
 * The parts of a tree as one storage: the first segment of a path says which part is asked. A strict home
 * is asked for by its path in the mount: the storage then refuses a symlink in place of its folder, too, and the rights that
 * were asked for are those of the place that is touched.
 */
export class TreeStorage implements Storage {
  readonly #tree: Tree
  readonly #mounts: TreeMounts
  readonly #strictHome: StrictHome | undefined
  readonly #top: TreeTop
  /** Of the parts in general; each is asked for what it can do by its own verbs. */
  readonly capabilities: Capabilities = {
    symlinks: true,
    atomicRename: false,
    atomicReplace: false,
    localFile: true,
    foldsCase: false,
    space: true,
    sparse: true,
    keeps: true,
    lastingIds: false,
  }

  constructor(tree: Tree, mounts: TreeMounts, strictHome?: StrictHome) {
    this.#tree = tree
    this.#mounts = mounts
    this.#strictHome = strictHome
    this.#top = new TreeTop(tree, mounts)
  }

  async stat(path: VirtualPath): Promise<Entry> {
    if (this.#isTop(path)) return topOf(await this.#top.entries())
    const reached = this.#in(path)
    return this.#shown(reached, await reached.storage.stat(reached.at))
  }

  async list(folder: VirtualPath, signal?: Cancellation, options?: ListOptions): Promise<Listing> {
    if (this.#isTop(folder)) {
      const entries = await this.#top.entries({ isOnce: options?.isOnce })
      return { folder: topOf(entries), entries }
    }
    const reached = this.#in(folder)
    const listing = await reached.storage.list(reached.at, signal, options)
    const self = this.#shown(reached, listing.folder)
    return self === listing.folder ? listing : { folder: self, entries: listing.entries }
  }

  async names(folder: VirtualPath, signal?: Cancellation, options?: NamesOptions): Promise<Named[]> {
    if (this.#isTop(folder)) return this.#top.partsThere().map(({ name }) => ({ name, kind: 'folder' }))
    const { at, storage } = this.#in(folder)
    return storage.names(at, signal, options)
  }

  async describe(folder: VirtualPath, named: readonly Named[], signal?: Cancellation): Promise<Entry[]> {
    if (this.#isTop(folder)) {
      const entries = await this.#top.entries()
      return named.flatMap(({ name }) => entries.find((entry) => entry.name === name) ?? [])
    }
    const { at, storage } = this.#in(folder)
    return storage.describe(at, named, signal)
  }

  readonly rows: FolderRows = {
    namesInOrder: async (folder, wish, signal) => {
      if (this.#isTop(folder)) return undefined
      const { at, storage } = this.#in(folder)
      return storage.rows?.namesInOrder(at, wish, signal)
    },
    rowsOf: async (folder, names, form, signal) => {
      const { at, storage } = this.#in(folder)
      if (storage.rows === undefined) throw new Failure('unavailable', 'The folder is served by another storage now')
      return storage.rows.rowsOf(at, names, form, signal)
    },
  }

  async visitBelow(folder: VirtualPath, visit: (path: VirtualPath) => void): Promise<void> {
    const reached = this.#in(folder)
    return reached.storage.visitBelow(reached.at, (below) => visit(this.#back(reached, below)))
  }

  async peek(folder: VirtualPath, names: readonly string[], signal?: Cancellation) {
    if (this.#isTop(folder)) return new Map<string, Uint8Array>()
    const { at, storage } = this.#in(folder)
    return storage.peek(at, names, signal)
  }

  async readFiles(
    folder: VirtualPath,
    names: readonly string[],
    room: number,
  ): Promise<readonly (WholeFile | undefined)[]> {
    if (this.#isTop(folder)) return names.map(() => undefined)
    const { at, storage } = this.#in(folder)
    return storage.readFiles(at, names, room)
  }

  async readInPlaces(folder: VirtualPath, places: Places): Promise<FilesInPlace | undefined> {
    if (this.#isTop(folder)) return undefined
    const { at, storage } = this.#in(folder)
    return storage.readInPlaces?.(at, places)
  }

  async open(file: VirtualPath): Promise<OpenFile> {
    const { at, storage } = this.#in(file)
    return storage.open(at)
  }

  async readHead(file: VirtualPath): Promise<FileHead> {
    const { at, storage } = this.#in(file)
    return storage.readHead(at)
  }

  async find(path: VirtualPath, options: FindOptions): Promise<Found> {
    if (this.#isTop(path)) {
      const entries = await this.#top.entries()
      const entry = topOf(entries)
      return options.lists ? { entry, entries } : { entry }
    }
    const reached = this.#in(path)
    const found = await reached.storage.find(reached.at, options)
    const entry = this.#shown(reached, found.entry)
    return entry === found.entry ? found : { ...found, entry }
  }

  async write(file: VirtualPath, bytes: AsyncIterable<Uint8Array>, options: WriteOptions): Promise<Entry> {
    const { at, storage } = this.#in(file)
    return storage.write(at, bytes, options)
  }

  async beginDraft(file: VirtualPath, id: string, options: BeginDraftOptions): Promise<number> {
    const { at, storage } = this.#in(file)
    return storage.beginDraft(at, id, options)
  }

  async openDraft(file: VirtualPath, id: string, options?: DraftAccess): Promise<OpenDraft> {
    const { at, storage } = this.#in(file)
    return storage.openDraft(at, id, options)
  }

  async completeDraft(file: VirtualPath, id: string, last: LastBytes, options: WriteOptions): Promise<Entry> {
    const { at, storage } = this.#in(file)
    return storage.completeDraft(at, id, last, options)
  }

  async dropDraft(file: VirtualPath, id: string): Promise<void> {
    const { at, storage } = this.#in(file)
    return storage.dropDraft(at, id)
  }

  async fill(folder: VirtualPath, entries: readonly FilledEntry[]): Promise<void> {
    const { at, storage } = this.#in(folder)
    return storage.fill(at, entries)
  }

  async secure(folder: VirtualPath): Promise<void> {
    const { at, storage } = this.#in(folder)
    return storage.secure(at)
  }

  async createFolder(folder: VirtualPath, options?: Pick<WriteOptions, 'keep'>): Promise<void> {
    const { at, storage } = this.#in(folder)
    return storage.createFolder(at, options)
  }

  rename(from: VirtualPath, to: VirtualPath, options: TransferOptions): Promise<void> {
    return this.#transfer('move', from, to, options)
  }

  copy(from: VirtualPath, to: VirtualPath, options: TransferOptions): Promise<void> {
    return this.#transfer('copy', from, to, options)
  }

  async stage(kind: TransferKind, from: VirtualPath, to: VirtualPath, options: StageOptions): Promise<void> {
    const ends = await this.#ends(from, to)
    if (ends.storage === undefined) return this.#mounts.stage(kind, ends.from, ends.to, options)
    return ends.storage.stage(kind, ends.from, ends.to, options)
  }

  async publish(to: VirtualPath, id: string, options: PublishOptions): Promise<void> {
    const { at, storage } = options.inside ? this.#in(to) : this.#insideOf(to)
    return storage.publish(at, id, options)
  }

  async unstage(to: VirtualPath, id: string, options?: UnstageOptions): Promise<void> {
    const { at, storage } = options?.inside ? this.#in(to) : this.#insideOf(to)
    return storage.unstage(at, id, options)
  }

  async remove(path: VirtualPath, options?: RemoveOptions): Promise<void> {
    const { at, storage } = this.#insideOf(path)
    return storage.remove(at, options)
  }

  async keepPlace(path: VirtualPath, keep: Keep): Promise<VirtualPath | undefined> {
    const { at, storage } = this.#insideOf(path)
    return storage.keepPlace(at, keep)
  }

  /** Which mount is meant is told by where it is to go. */
  async restore(place: VirtualPath, to: VirtualPath, options: RestoreOptions): Promise<void> {
    const { at, storage } = this.#insideOf(to)
    return storage.restore(place, at, options)
  }

  /** Stores belong to mounts, and are asked for there. */
  kept = keepsNothing.kept
  purge = keepsNothing.purge

  async exact(path: VirtualPath): Promise<VirtualPath> {
    if (this.#isTop(path)) return path
    const reached = this.#in(path)
    return this.#back(reached, await reached.storage.exact(reached.at))
  }

  async resolve(path: VirtualPath): Promise<VirtualPath> {
    if (this.#isTop(path)) return path
    const reached = this.#in(path)
    try {
      const real = await reached.storage.resolve(reached.at)
      if (isInside(real, this.#baseIn(reached.part))) return this.#back(reached, real)
      return await this.#outside(reached, real)
    } catch (error) {
      if (!isFailure(error, 'forbidden')) throw error
      const elsewhere = await this.#resolveInMount(reached)
      if (elsewhere === undefined) throw error
      return elsewhere
    }
  }

  async usage(folder: VirtualPath): Promise<Usage> {
    if (this.#isTop(folder)) {
      const [first] = this.#top.partsThere()
      return first === undefined ? { total: 0, used: 0 } : this.#storageOf(first).usage(rootPath)
    }
    const { at, storage } = this.#in(folder)
    return storage.usage(at)
  }

  beneath(folder: VirtualPath): Storage {
    if (this.#isTop(folder)) return this
    const { at, storage } = this.#in(folder)
    return storage.beneath(at)
  }

  /** A symlink may lead out of the home, and to another part in the same mount. */
  async #resolveInMount(reached: Reached): Promise<VirtualPath | undefined> {
    const location = below(this.#placeOf(reached.part), reached.path)
    const [mount, root] = [mountOf(location), rootOf(location)]
    if (!this.#tree.parts.some(({ base }) => base === root)) return undefined
    const real = await this.#mounts.storageAt(root).resolve(pathIn(location))
    return this.#tree.pathTo(locationIn(mount, real))
  }

  /** The same for a strict home. */
  async #outside({ part, storage }: Reached, real: VirtualPath): Promise<VirtualPath> {
    const base = this.#baseIn(part)
    if ((await storage.resolve(base)) !== base) {
      this.#strictHome?.moved()
      throw new Failure('changed-meanwhile', 'The folder has been replaced by a link')
    }
    const elsewhere = this.#tree.pathTo(locationIn(mountOf(part.base), real))
    if (elsewhere === undefined) throw new Failure('forbidden', 'The link leads out of this folder')
    return elsewhere
  }

  async #transfer(kind: TransferKind, from: VirtualPath, to: VirtualPath, options: TransferOptions): Promise<void> {
    const ends = await this.#ends(from, to)
    if (ends.storage === undefined) return this.#mounts.transfer(kind, ends.from, ends.to, options)
    return ends.storage[kind === 'move' ? 'rename' : 'copy'](ends.from, ends.to, options)
  }

  async #ends(from: VirtualPath, to: VirtualPath): Promise<Ends> {
    const [source, target] = [this.#insideOf(from), this.#insideOf(to)]
    if (source.part === target.part) return { storage: source.storage, from: source.at, to: target.at }
    const [left, arrived] = await Promise.all([this.#realLocation(source), this.#realLocation(target)])
    if (isWithin(arrived, left)) throw new Failure('invalid', 'source is parent')
    if (mountOf(left) !== mountOf(arrived)) return { from: left, to: arrived }
    return { storage: this.#mounts.storageAt(rootOf(left)), from: pathIn(left), to: pathIn(arrived) }
  }

  /** The folder of a home may itself be a symlink; what is below it was resolved before. */
  async #realLocation({ part, path }: InPart): Promise<Location> {
    const place = this.#placeOf(part)
    if (this.#isStrict(part) || pathIn(place) === rootPath) return below(place, path)
    const base = await this.#mounts.storageAt(rootOf(place)).resolve(pathIn(place))
    return locationIn(mountOf(place), rebase(base, path))
  }

  #isTop(path: VirtualPath): boolean {
    return path === rootPath && this.#tree.isNamed
  }

  #storageOf({ base }: Part): Storage {
    return this.#mounts.storageAt(base)
  }

  #isStrict({ isHome }: Part): boolean {
    return isHome && this.#strictHome !== undefined
  }

  #placeOf(part: Part): Location {
    return this.#isStrict(part) && this.#strictHome !== undefined ? this.#strictHome.at : part.base
  }

  /** Where a part begins in the storage that is asked for it. */
  #baseIn(part: Part): VirtualPath {
    return this.#isStrict(part) ? pathIn(this.#placeOf(part)) : rootPath
  }

  /** The path of the tree for one of the storage that was asked. */
  #back({ part }: InPart, path: VirtualPath): VirtualPath {
    const base = this.#baseIn(part)
    return this.#tree.pathIn(part, base === rootPath ? path : path === base ? rootPath : restOf(path, base.length))
  }

  #in(path: VirtualPath): Reached {
    const found = this.#tree.find(path)
    if (found === undefined)
      throw this.#isTop(path)
        ? new Failure('forbidden', 'Nothing can be changed where the root folders are listed')
        : new Failure('not-found', 'There is no such file or folder')
    const { part, path: inside } = found
    const storage = this.#isStrict(part) ? this.#mounts.storageAt(rootOf(part.base)) : this.#storageOf(part)
    return { part, path: inside, at: rebase(this.#baseIn(part), inside), storage }
  }

  /** For verbs that take a name away or give one. */
  #insideOf(path: VirtualPath): Reached {
    const found = this.#in(path)
    if (found.path === rootPath)
      throw new Failure('forbidden', 'A root folder cannot be moved, copied, renamed or removed here')
    return found
  }

  /** The root of a part has the name of the part. */
  #shown({ part, path }: InPart, entry: Entry): Entry {
    if (path !== rootPath) return entry
    const name = this.#tree.isNamed ? part.name : ''
    return entry.name === name ? entry : entry.with({ name })
  }
}

/** All of the mount that something lies in. */
const rootOf = (location: Location): Location => locationIn(mountOf(location), rootPath)
