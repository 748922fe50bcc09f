import { allRights, type Permission, type Right, type RightSet, type Sorting, type Usage } from '@filestead/contract'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { Failure } from '../failure.ts'
import { isInStore, type Location } from '../mounts/location.ts'
import type { NamesInOrder, RowForm, Rows } from '../storage/folder-rows.ts'
import type { NameFilter } from '../storage/name-filter.ts'
import { rootPath, type VirtualPath } from '../storage/path.ts'
import type {
  BeginDraftOptions,
  DraftAccess,
  Entry,
  FileHead,
  FilesInPlace,
  FindOptions,
  Found,
  Hold,
  Keep,
  LastBytes,
  Listing,
  ListOptions,
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
import { type Actor, may, requirePermission } from './actor.ts'
import { changingIn } from './changing.ts'
import { type Filling, type FillingOptions, fillingIn } from './filling.ts'
import type { FolderGrants } from './granted.ts'
import type { KeptPlace, KeptView } from './kept.ts'
import { asShown, type DraftPlace, lookupIn, notAllowed } from './lookup.ts'
import type { Outlined } from './outline.ts'
import { readingIn } from './reading.ts'
import { visibilityOf } from './rules.ts'
import type { View } from './sight.ts'
import { homeOf, type Tree, treeAt } from './tree.ts'
import type { Run } from './walk.ts'

/**
 * The files as one actor sees them: what rules and grants hide is not there, links are followed as far as they lead to
 * something visible, and each verb asks for the right that it needs, where it was asked for and where links lead to. The
 * domain never holds any other view, so no verb can forget to ask.
 */
export interface Scope {
  readonly actor: Actor
  readonly tree: Tree
  /** What the actor sees and may do by rules and grants, without a look at the disk. */
  readonly view: View
  /** The same for a kept thing, at the path that it had. Undefined where no path led there, and for visitors of links. */
  viewOfKept(kept: KeptPlace): KeptView | undefined
  /** The same for what was there at a time, in milliseconds since 1970. Visitors of links see nothing of it. */
  viewBefore(since: number): Promise<View>
  /** Where a path lies, as it is written. Fails at the top of a named tree, and for a name there that is no part. */
  locate(path: VirtualPath): Location
  /** Do grants give this right at a path, and the permissions of the account not take it away? */
  may(right: Right, path: VirtualPath): boolean
  require(right: Right, path: VirtualPath): void
  /** What grants allow at a path: nothing is said about the permissions of the account. */
  rightsAt(path: VirtualPath): RightSet
  /** The same for the entries of a folder. Undefined where everything is allowed and nothing varies. */
  rightsIn(folder: VirtualPath): FolderGrants | undefined
  /** A link shows the kind and size of its target. */
  stat(path: VirtualPath): Promise<Entry>
  /** Links in the folder show all facts of their targets. */
  list(folder: VirtualPath, signal?: Cancellation, options?: ListInScopeOptions): Promise<Listing>
  /** The same, but links show their own facts. */
  listUnfollowed(folder: VirtualPath, signal?: Cancellation, hold?: Hold): Promise<Listing>
  /** The names in a folder: of a large one, which is not listed at once, this is enough to sort it. */
  outline(folder: VirtualPath, signal?: Cancellation): Promise<Outlined[]>
  /** The entries of some of them, in their order and as `list` tells them; those that are gone by now are left out. */
  describe(folder: VirtualPath, outlined: readonly Outlined[], signal?: Cancellation): Promise<Entry[]>
  /** The names in a folder as the storage has them in order; undefined where it cannot, or where the actor sees only some. */
  namesInOrder(folder: VirtualPath, sorting: Sorting, signal?: Cancellation): Promise<NamesInOrder | undefined>
  /** The items of a listing for some of these names. */
  rowsOf(folder: VirtualPath, names: Uint8Array<ArrayBuffer>, form: RowForm, signal?: Cancellation): Promise<Rows>
  /** The first bytes of entries of a listing, by their exact names; links are followed. */
  peek(folder: VirtualPath, entries: readonly Entry[], signal?: Cancellation): Promise<ReadonlyMap<string, Uint8Array>>
  /** The names of everything below a folder, in order; what the filter leaves out may be missing. Links are named, not followed. */
  walk(folder: VirtualPath, signal?: AbortSignal, filter?: NameFilter): Promise<AsyncGenerator<Run>>
  /** As in the storage: small files of a folder as a whole, as many as fit. */
  readFiles(folder: VirtualPath, names: readonly string[], room: number): Promise<readonly (WholeFile | undefined)[]>
  /** Also as in the storage, which may not be able to. */
  readInPlaces(folder: VirtualPath, places: Places): Promise<FilesInPlace | undefined>
  open(file: VirtualPath): Promise<OpenFile>
  readHead(file: VirtualPath): Promise<FileHead>
  /**
   * `stat`, and then `open` or `list`, with one look at the disk where no link is in the way. Needs the right to see it; a
   * file with `right` only if that is given, too. Without it the content is for telling its type, unless `can` says more.
   */
  find(path: VirtualPath, options: FindOptions & { right?: Right }): Promise<FoundInScope>
  write(file: VirtualPath, bytes: AsyncIterable<Uint8Array>, options: WriteOptions): Promise<Entry>
  /** As in the storage, but first `note` is told where the draft will really lie. */
  beginDraft(file: VirtualPath, id: string, options: BeginDraftOptions, note: NotePlace): Promise<number>
  openDraft(draft: DraftPlace, access?: DraftAccess): Promise<OpenDraft>
  completeDraft(draft: DraftPlace, last: LastBytes, options: WriteOptions): Promise<Entry>
  dropDraft(draft: DraftPlace): Promise<void>
  /** Refuses what is hidden, before anything is looked up; but not a place that takes what it does not show. */
  requireVisible(path: VirtualPath): void
  /** The same place without links; refused where that is hidden. */
  resolve(path: VirtualPath): Promise<VirtualPath>
  /** A hidden folder of this id, to be filled: made, or found as an earlier try has left it. `publish` shows it as `to`. */
  filling(to: VirtualPath, id: string, options: FillingOptions): Promise<Filling>
  createFolder(folder: VirtualPath, options?: Pick<WriteOptions, 'keep'>): Promise<void>
  rename(from: VirtualPath, to: VirtualPath, options: TransferOptions): Promise<void>
  copy(from: VirtualPath, to: VirtualPath, options: TransferOptions): Promise<void>
  /** As in the storage, with the rights of the copy or move that follows. */
  stage(kind: TransferKind, from: VirtualPath, to: VirtualPath, options: StageOptions): Promise<void>
  /**
   * As in the storage. To publish needs the right to create; to drop needs none, because what the caller was allowed to
   * stage is to go also when its rights are gone: ids are never told.
   */
  publish(to: VirtualPath, id: string, options: PublishOptions): Promise<void>
  unstage(to: VirtualPath, id: string, options?: UnstageOptions): Promise<void>
  remove(path: VirtualPath, options?: RemoveInScopeOptions): Promise<void>
  /** Where that which is removed from here would be kept. Undefined where nothing is. */
  keepPlace(path: VirtualPath, keep: Keep): Promise<Location | undefined>
  /**
   * Takes a kept thing out of its store, in the same mount. Needs the rights to put something there, or with `over` to
   * change what is there; whether the actor may have the thing is for the caller to ask.
   */
  restore(kept: Location, to: VirtualPath, options: RestoreOptions): Promise<void>
  usage(folder: VirtualPath): Promise<Usage>
}

/** As in the storage, but a place in a store says in which mount. */
export type RemoveInScopeOptions = Omit<RemoveOptions, 'keptAt'> & { keptAt?: Location | undefined }

type NotePlace = (place: VirtualPath) => Promise<void>

export type { DraftPlace } from './lookup.ts'

export interface FoundInScope extends Found {
  /** What grants allow where it was asked for, and where links lead to. */
  readonly can: RightSet
  /** The same for the entries of a folder. Undefined where everything is allowed. */
  readonly grants?: FolderGrants | undefined
}

export interface ListInScopeOptions extends ListOptions {
  /** Only entries with this right, and folders that lead on to some. */
  right?: Right | undefined
}

export function scopeOf(
  actor: Actor,
  storage: Storage,
  view: View = wholeView(actor, storage),
  ofPast: Pick<Scope, 'viewOfKept' | 'viewBefore'> = withoutPast,
): Scope {
  const { tree, visibility, rights } = view
  const lookup = lookupIn(storage, view, allRights)
  const { rightsAt, look } = lookup

  const isGranted = (right: Right, path: VirtualPath): boolean =>
    rights === undefined ? visibility.sees(asShown(path)) : rights.allows(asShown(path), right)

  return {
    actor,
    tree,
    view,
    ...ofPast,
    locate(path) {
      const location = tree.locate(path)
      if (location !== undefined) return location
      if (path === rootPath) throw new Failure('forbidden', 'Not possible where the root folders are listed')
      throw new Failure('not-found', 'There is no such file or folder')
    },
    may: (right, path) => isPermitted(actor, right) && isGranted(right, path),
    require(right, path) {
      const permission = permissionFor[right]
      if (permission !== undefined) requirePermission(actor, permission)
      if (!isGranted(right, path)) throw notAllowed()
    },
    rightsAt,
    rightsIn: (folder) => rights?.rightsIn(asShown(folder)),
    requireVisible(path) {
      if (!rights?.allows(asShown(path), 'create')) look(path)
    },
    resolve: async (path) => look(await lookup.resolve(await lookup.meant(look(path)))),
    ...readingIn(lookup),
    ...changingIn(lookup),
    filling: fillingIn(lookup),
  }
}

/** The path of a location that the actor sees. A letter box shows nothing, so what is in it has none, and stores are of no tree. */
export function seenPath({ tree, visibility }: View, location: Location): VirtualPath | undefined {
  const path = isInStore(location) ? undefined : tree.pathTo(location)
  return path !== undefined && visibility.sees(asShown(path)) ? path : undefined
}

const withoutPast: Pick<Scope, 'viewOfKept' | 'viewBefore'> = {
  viewOfKept: () => undefined,
  viewBefore: () => Promise.reject(new Failure('not-found', 'There is no past')),
}

/** All that the rules leave visible of a home, with all rights. */
const wholeView = ({ rules, user }: Actor, { capabilities }: Storage): View => ({
  tree: treeAt(homeOf(user.scope ?? rootPath), { isHome: true }),
  visibility: visibilityOf(rules, user.hideDotfiles, capabilities),
  rights: undefined,
})

/** The permission of an account without which a right does not count. */
const permissionFor: Readonly<Record<Right, Permission | undefined>> = {
  see: undefined,
  download: 'download',
  create: 'create',
  change: 'modify',
  delete: 'delete',
  share: 'share',
}

function isPermitted(actor: Actor, right: Right): boolean {
  const permission = permissionFor[right]
  return permission === undefined || may(actor, permission)
}

/** Names that are shown alike, because they are not UTF-8, have an order as well: a walk can be continued later. */
export const byName = (entries: readonly Entry[]): Entry[] =>
  entries.toSorted((a, b) => (a.name < b.name || (a.name === b.name && (a.exact ?? '') < (b.exact ?? '')) ? -1 : 1))
