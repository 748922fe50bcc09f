import { isInside, nameOf, type Right, type RightSet, rightSet, type Usage } from '@filestead/contract'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { Failure } from '../failure.ts'
import { rebase, restOf, rootPath, type VirtualPath } from '../storage/path.ts'
import {
  type Capabilities,
  type Entry,
  type FileHead,
  type FindOptions,
  type Found,
  LinkInTheWay,
  type Listing,
  type ListOptions,
  type Named,
  type NamesOptions,
  type OpenFile,
  type Storage,
  type WholeFile,
} from '../storage/port.ts'
import { refusingChanges } from '../storage/refusing.ts'
import type { FolderGrants } from './granted.ts'
import { asShown } from './lookup.ts'
import { type Scope, scopeOf } from './scope.ts'
import type { PathRights, View } from './sight.ts'

/** A part of the past: what lies in a storage at and below `place` is found at and below `path`. */
export interface PastPart {
  readonly path: VirtualPath
  readonly storage: Storage
  readonly place: VirtualPath
}

/** What an actor sees of the past, at the paths of its tree. Nothing in it can be changed. */
export const pastScopeOf = ({ actor }: Scope, parts: readonly PastPart[], view: View): Scope =>
  scopeOf(actor, pastStorage(parts), { ...view, rights: new RightsToRead(view) })

/** Whatever else an actor may do in the present. */
const toRead = rightSet('see', 'download')

class RightsToRead implements PathRights {
  readonly #view: View

  constructor(view: View) {
    this.#view = view
  }

  allows(path: VirtualPath, right?: Right): boolean {
    const { rights, visibility } = this.#view
    if (right !== undefined && right !== 'see' && right !== 'download') return false
    return rights === undefined ? visibility.sees(path) : rights.allows(path, right)
  }

  rightsAt(path: VirtualPath): RightSet {
    return toRead & (this.#view.rights?.rightsAt(path) ?? toRead)
  }

  rightsThroughout(path: VirtualPath): RightSet {
    return toRead & (this.#view.rights?.rightsThroughout(path) ?? toRead)
  }

  rightsIn(folder: VirtualPath): FolderGrants {
    const grants = this.#view.rights?.rightsIn(folder)
    if (grants === undefined) return everythingToRead
    return { ...grants, rights: grants.rights & toRead, rightsOf: (name) => grants.rightsOf(name) & toRead }
  }
}

const everythingToRead: FolderGrants = {
  rights: toRead,
  varies: false,
  rightsOf: () => toRead,
  leadsOn: () => false,
}

const notThere = () => new Failure('not-found', 'There was no such file or folder')

/**
 * Parts of other storages at the paths that they had, and nothing else. A symlink is shown and never followed: what it led to
 * at that time is not known, and what it leads to now is no part of the past.
 */
function pastStorage(parts: readonly PastPart[]): Storage {
  function find(path: VirtualPath): { storage: Storage; at: VirtualPath } {
    const part = parts.find((each) => isInside(path, each.path))
    if (part === undefined) throw notThere()
    return { storage: part.storage, at: rebase(part.place, relative(path, part.path)) }
  }

  /** The thing itself has another name in its store. */
  function shown(path: VirtualPath, entry: Entry): Entry {
    if (!parts.some((part) => part.path === path)) return entry
    const name = nameOf(path)
    return entry.name === name ? entry : entry.with({ name, exact: undefined })
  }

  return {
    ...refusingChanges('The past cannot be changed'),

    get capabilities(): Capabilities {
      const [first] = parts
      return { ...(first === undefined ? nothing : first.storage.capabilities), keeps: false }
    },

    async stat(path: VirtualPath): Promise<Entry> {
      const { storage, at } = find(path)
      return shown(path, await unfollowed(storage.stat(at)))
    },

    async list(folder: VirtualPath, signal?: Cancellation, options?: ListOptions): Promise<Listing> {
      const { storage, at } = find(folder)
      const listing = await unfollowed(storage.list(at, signal, options))
      const self = shown(folder, listing.folder)
      return self === listing.folder ? listing : { folder: self, entries: listing.entries }
    },

    async names(folder: VirtualPath, signal?: Cancellation, options?: NamesOptions): Promise<Named[]> {
      const { storage, at } = find(folder)
      return unfollowed(storage.names(at, signal, options))
    },

    async describe(folder: VirtualPath, named: readonly Named[], signal?: Cancellation): Promise<Entry[]> {
      const { storage, at } = find(folder)
      return unfollowed(storage.describe(at, named, signal))
    },

    async visitBelow(folder: VirtualPath, visit: (path: VirtualPath) => void): Promise<void> {
      const { storage, at } = find(folder)
      return unfollowed(storage.visitBelow(at, (path) => visit(rebase(folder, relative(path, at)))))
    },

    async peek(folder: VirtualPath, names: readonly string[], signal?: Cancellation) {
      const { storage, at } = find(folder)
      return unfollowed(storage.peek(at, names, signal))
    },

    async readFiles(
      folder: VirtualPath,
      names: readonly string[],
      room: number,
    ): Promise<readonly (WholeFile | undefined)[]> {
      const { storage, at } = find(folder)
      return unfollowed(storage.readFiles(at, names, room))
    },

    async open(file: VirtualPath): Promise<OpenFile> {
      const { storage, at } = find(file)
      const opened = await unfollowed(storage.open(at))
      const entry = shown(file, opened.entry)
      return entry === opened.entry ? opened : { ...opened, entry }
    },

    async readHead(file: VirtualPath): Promise<FileHead> {
      const { storage, at } = find(file)
      const { entry, head } = await unfollowed(storage.readHead(at))
      return { entry: shown(file, entry), head }
    },

    async find(path: VirtualPath, options: FindOptions): Promise<Found> {
      const { storage, at } = find(path)
      const found = await unfollowed(storage.find(at, options))
      const entry = shown(path, found.entry)
      if (entry === found.entry) return found
      return { ...found, entry, file: found.file && { ...found.file, entry } }
    },

    async exact(path: VirtualPath): Promise<VirtualPath> {
      // Asked for with marks, as it is shown, the path of the thing itself may have them as well.
      const part = parts.find((each) => isInside(path, asShown(each.path)))
      if (part === undefined) throw notThere()
      const exact = await part.storage.exact(rebase(part.place, relative(path, asShown(part.path))))
      return rebase(part.path, relative(exact, part.place))
    },

    /** Nothing is followed, so every path is the place itself. Whether it is there is told by what is done with it. */
    async resolve(path: VirtualPath): Promise<VirtualPath> {
      find(path)
      return path
    },

    async usage(): Promise<Usage> {
      return { total: 0, used: 0 }
    },

    beneath(folder: VirtualPath): Storage {
      const { storage, at } = find(folder)
      return pastStorage([{ path: rootPath, storage, place: at }])
    },
  }
}

const relative = (path: VirtualPath, folder: VirtualPath): VirtualPath =>
  folder === rootPath ? path : path === folder ? rootPath : restOf(path, folder.length)

const nothing: Capabilities = {
  ...{ symlinks: true, atomicRename: false, atomicReplace: false, localFile: false },
  ...{ foldsCase: false, space: false, sparse: false, keeps: false, lastingIds: false },
}

async function unfollowed<T>(looking: Promise<T>): Promise<T> {
  try {
    return await looking
  } catch (error) {
    throw error instanceof LinkInTheWay ? notThere() : error
  }
}
