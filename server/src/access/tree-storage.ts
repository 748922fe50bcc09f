import { isInside } from '@filestead/contract'
import { Failure, isFailure } from '../failure.ts'
import { below, isWithin, type Location, locationIn, mountOf, mountRootOf, pathIn } from '../mounts/location.ts'
import type { FolderRows } from '../storage/folder-rows.ts'
import { keepsNothing } from '../storage/keeping.ts'
import { rebase, restOf, rootPath, type VirtualPath } from '../storage/path.ts'
import type { Capabilities, Entry, Storage } from '../storage/port.ts'
import type { TransferKind, TransferOptions } from '../storage/transfer-options.ts'
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

  stat: Storage['stat'] = async (path) => {
    if (this.#isTop(path)) return topOf(await this.#top.entries())
    const reached = this.#in(path)
    return this.#shown(reached, await reached.storage.stat(reached.at))
  }

  list: Storage['list'] = async (folder, signal, options) => {
    if (this.#isTop(folder)) {
      const entries = await this.#top.entries({ isOnce: options?.isOnce })
      return { folder: topOf(entries), entries }
    }
    const reached = this.#in(folder)
    const listing = await reached.storage.list(reached.at, signal, options)
    const self = this.#shown(reached, listing.folder)
    return self === listing.folder ? listing : { folder: self, entries: listing.entries }
  }

  names: Storage['names'] = async (folder, signal, options) => {
    if (this.#isTop(folder)) return this.#top.partsThere().map(({ name }) => ({ name, kind: 'folder' }))
    return this.#ask(folder, (storage, at) => storage.names(at, signal, options))
  }

  describe: Storage['describe'] = async (folder, named, signal) => {
    if (!this.#isTop(folder)) return this.#ask(folder, (storage, at) => storage.describe(at, named, signal))
    const entries = await this.#top.entries()
    return named.flatMap(({ name }) => entries.find((entry) => entry.name === name) ?? [])
  }

  readonly rows: FolderRows = {
    namesInOrder: async (folder, wish, signal) => {
      if (this.#isTop(folder)) return undefined
      return this.#ask(folder, async (storage, at) => storage.rows?.namesInOrder(at, wish, signal))
    },
    rowsOf: (folder, names, form, signal) =>
      this.#ask(folder, async ({ rows }, at) => {
        if (rows === undefined) throw new Failure('unavailable', 'The folder is served by another storage now')
        return rows.rowsOf(at, names, form, signal)
      }),
  }

  visitBelow: Storage['visitBelow'] = async (folder, visit) => {
    const reached = this.#in(folder)
    return reached.storage.visitBelow(reached.at, (below) => visit(this.#back(reached, below)))
  }

  peek: Storage['peek'] = async (folder, names, signal) => {
    if (this.#isTop(folder)) return new Map<string, Uint8Array>()
    return this.#ask(folder, (storage, at) => storage.peek(at, names, signal))
  }

  readFiles: Storage['readFiles'] = async (folder, names, room) => {
    if (this.#isTop(folder)) return names.map(() => undefined)
    return this.#ask(folder, (storage, at) => storage.readFiles(at, names, room))
  }

  readInPlaces: NonNullable<Storage['readInPlaces']> = async (folder, places) => {
    if (this.#isTop(folder)) return undefined
    return this.#ask(folder, async (storage, at) => storage.readInPlaces?.(at, places))
  }

  open: Storage['open'] = (file) => this.#ask(file, (storage, at) => storage.open(at))

  readHead: Storage['readHead'] = (file) => this.#ask(file, (storage, at) => storage.readHead(at))

  find: Storage['find'] = async (path, options) => {
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

  write: Storage['write'] = (file, bytes, options) =>
    this.#ask(file, (storage, at) => storage.write(at, bytes, options))

  beginDraft: Storage['beginDraft'] = (file, id, options) =>
    this.#ask(file, (storage, at) => storage.beginDraft(at, id, options))

  openDraft: Storage['openDraft'] = (file, id, options) =>
    this.#ask(file, (storage, at) => storage.openDraft(at, id, options))

  completeDraft: Storage['completeDraft'] = (file, id, last, options) =>
    this.#ask(file, (storage, at) => storage.completeDraft(at, id, last, options))

  dropDraft: Storage['dropDraft'] = (file, id) => this.#ask(file, (storage, at) => storage.dropDraft(at, id))

  fill: Storage['fill'] = (folder, entries) => this.#ask(folder, (storage, at) => storage.fill(at, entries))

  secure: Storage['secure'] = (folder) => this.#ask(folder, (storage, at) => storage.secure(at))

  createFolder: Storage['createFolder'] = (folder, options) =>
    this.#ask(folder, (storage, at) => storage.createFolder(at, options))

  rename: Storage['rename'] = (from, to, options) => this.#transfer('move', from, to, options)

  copy: Storage['copy'] = (from, to, options) => this.#transfer('copy', from, to, options)

  stage: Storage['stage'] = async (kind, from, to, options) => {
    const ends = await this.#ends(from, to)
    if (ends.storage === undefined) return this.#mounts.stage(kind, ends.from, ends.to, options)
    return ends.storage.stage(kind, ends.from, ends.to, options)
  }

  publish: Storage['publish'] = async (to, id, options) => {
    const { at, storage } = options.inside ? this.#in(to) : this.#insideOf(to)
    return storage.publish(at, id, options)
  }

  unstage: Storage['unstage'] = async (to, id, options) => {
    const { at, storage } = options?.inside ? this.#in(to) : this.#insideOf(to)
    return storage.unstage(at, id, options)
  }

  remove: Storage['remove'] = async (path, options) => {
    const { at, storage } = this.#insideOf(path)
    return storage.remove(at, options)
  }

  keepPlace: Storage['keepPlace'] = async (path, keep) => {
    const { at, storage } = this.#insideOf(path)
    return storage.keepPlace(at, keep)
  }

  /** Which mount is meant is told by where it is to go. */
  restore: Storage['restore'] = async (place, to, options) => {
    const { at, storage } = this.#insideOf(to)
    return storage.restore(place, at, options)
  }

  /** Stores belong to mounts, and are asked for there. */
  kept = keepsNothing.kept
  purge = keepsNothing.purge

  exact: Storage['exact'] = async (path) => {
    if (this.#isTop(path)) return path
    const reached = this.#in(path)
    return this.#back(reached, await reached.storage.exact(reached.at))
  }

  resolve: Storage['resolve'] = async (path) => {
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

  usage: Storage['usage'] = async (folder) => {
    if (!this.#isTop(folder)) return this.#ask(folder, (storage, at) => storage.usage(at))
    const [first] = this.#top.partsThere()
    return first === undefined ? { total: 0, used: 0 } : this.#storageOf(first).usage(rootPath)
  }

  beneath(folder: VirtualPath): Storage {
    if (this.#isTop(folder)) return this
    const { at, storage } = this.#in(folder)
    return storage.beneath(at)
  }

  /** A symlink may lead out of the home, and to another part in the same mount. */
  async #resolveInMount(reached: Reached): Promise<VirtualPath | undefined> {
    const location = below(this.#placeOf(reached.part), reached.path)
    const [mount, root] = [mountOf(location), mountRootOf(location)]
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
    return { storage: this.#mounts.storageAt(mountRootOf(left)), from: pathIn(left), to: pathIn(arrived) }
  }

  /** The folder of a home may itself be a symlink; what is below it was resolved before. */
  async #realLocation({ part, path }: InPart): Promise<Location> {
    const place = this.#placeOf(part)
    if (this.#isStrict(part) || pathIn(place) === rootPath) return below(place, path)
    const base = await this.#mounts.storageAt(mountRootOf(place)).resolve(pathIn(place))
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

  async #ask<T>(path: VirtualPath, verb: (storage: Storage, at: VirtualPath) => Promise<T>): Promise<T> {
    const { at, storage } = this.#in(path)
    return verb(storage, at)
  }

  #in(path: VirtualPath): Reached {
    const found = this.#tree.find(path)
    if (found === undefined)
      throw this.#isTop(path)
        ? new Failure('forbidden', 'Nothing can be changed where the root folders are listed')
        : new Failure('not-found', 'There is no such file or folder')
    const { part, path: inside } = found
    const storage = this.#isStrict(part) ? this.#mounts.storageAt(mountRootOf(part.base)) : this.#storageOf(part)
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
