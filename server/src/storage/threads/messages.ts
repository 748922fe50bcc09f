import type { Usage } from '@filestead/contract'
import type { LeftDraft } from '../disk/drafts.ts'
import type { DiskFacts } from '../disk/entry.ts'
import type { LeftSource } from '../disk/moving-sources.ts'
import type { OwnPaths } from '../disk/own-files.ts'
import type { ServedFolder } from '../disk/served-folders.ts'
import type { FolderNames, FoldersIn, PlaceFacts, PlaceTimes, ServerFolderFacts } from '../disk/server-folders.ts'
import type { VolumeState } from '../disk/volume.ts'
import type { WatchedFolder, WatchedPart } from '../disk/watched-folder.ts'
import type { NamesInOrder, OrderWish, RowForm, Rows } from '../folder-rows.ts'
import type { Effect, Keep, KeepStores } from '../keeping.ts'
import type { NameFilter } from '../name-filter.ts'
import type { VirtualPath } from '../path.ts'
import type {
  BeginDraftOptions,
  DraftAccess,
  FilledEntry,
  RemoveOptions,
  RestoreOptions,
  WriteOptions,
} from '../port.ts'
import type {
  PublishOptions,
  StageOptions,
  TransferKind,
  TransferOptions,
  UnstageOptions,
} from '../transfer-options.ts'
import type { PackedBytes, PackedEntries, PackedHeads, PackedNames } from './packing.ts'
import type { Refusal } from './refusal.ts'

/** What a thread must know before its first task. */
export interface ThreadSettings {
  /** Tells threads apart. */
  thread: number
  /** The number of the task that the thread is at work on, because one that sleeps cannot tell, and of the last one begun. */
  current: Int32Array<SharedArrayBuffer>
  /** How many half-written files the threads know of, together. */
  halfWrittenCount: Int32Array<SharedArrayBuffer>
  /** How many this one knows of. */
  halfWrittenHere: Int32Array<SharedArrayBuffer>
  /** Where it reads small files into. */
  contents: SharedArrayBuffer
  root: string
  own: OwnPaths
  /** Where a draft is kept when the folder of its target cannot be written. */
  spool: string
  follows: boolean
  /** As in `Disk`. */
  isFurtherMount?: boolean | undefined
  /** As in `Disk`; told again when it changes. */
  servedFolders?: readonly ServedFolder[] | undefined
  volumes: VolumeState
  /** Drafts of no known work that are older than so many seconds are told of when a folder is read; none if undefined. */
  orphanAge: number | undefined
}

/** A path in a root that other threads serve. */
export interface OtherRoot
  extends Pick<ThreadSettings, 'root' | 'follows' | 'isFurtherMount' | 'servedFolders' | 'volumes'> {
  readonly path: VirtualPath
  readonly stores: KeepStores
}

/** Where the paths of a task begin: a user's folder below the root, and folders strictly beneath that one. */
export interface Base {
  readonly scope: string
  readonly below: readonly string[]
}

export interface Modes {
  readonly file: number
  readonly folder: number
}

/** What a thread can be asked for. Values come back as promises; parts of long answers come before them. */
export interface VerbCalls {
  stat(path: VirtualPath): DiskFacts
  /** Parts: `PackedEntries`. */
  list(folder: VirtualPath, isOnce: boolean): ListingEnd
  /** Parts: `PackedNames`, of which the last is the answer. */
  names(folder: VirtualPath, filter?: NameFilter): PackedNames
  describe(folder: VirtualPath, named: PackedNames): PackedEntries
  namesInOrder(folder: VirtualPath, wish: OrderWish): NamesInOrder | null
  rowsOf(folder: VirtualPath, names: Uint8Array<ArrayBuffer>, form: RowForm): Rows
  /** Parts: paths. */
  visitBelow(folder: VirtualPath): void
  peek(folder: VirtualPath, names: readonly string[]): PackedHeads
  readFiles(folder: VirtualPath, names: readonly string[], room: number): FilesOfThread
  readInPlaces(folder: VirtualPath, places: SentPlaces): FilesInSlot
  /** A small file has been read and closed. */
  open(file: VirtualPath): FileOfThread
  readHead(file: VirtualPath): HeadOfThread
  read(fd: number, start: number, length: number): Uint8Array<ArrayBuffer>
  /** Parts as of `list`, and a file as of `open`. */
  find(path: VirtualPath, lists: boolean, largestOpened: number, mostListed: number): FoundByThread
  write(file: VirtualPath, content: PackedBytes, options: WriteOptions): DiskFacts
  /** The event loop is asked, with `token`, to fill the draft. */
  writeFilled(file: VirtualPath, token: number, options: WriteOptions): DiskFacts
  beginDraft(file: VirtualPath, id: string, options: BeginDraftOptions): number
  openDraft(file: VirtualPath, id: string, access: DraftAccess): { fd: number; size: number }
  commitDraft(fd: number, size: number, options: WriteOptions, token: number): DiskFacts
  closeDraft(fd: number): void
  completeDraft(
    file: VirtualPath,
    id: string,
    last: { offset: number; bytes: PackedBytes },
    options: WriteOptions,
  ): DiskFacts
  dropDraft(file: VirtualPath, id: string): void
  fill(folder: VirtualPath, entries: readonly FilledEntry[]): void
  secure(folder: VirtualPath): void
  createFolder(folder: VirtualPath, options: Pick<WriteOptions, 'keep'>): void
  /** Parts of these, as far as progress is wanted: `Done`. */
  rename(from: VirtualPath, to: VirtualPath, options: SentTransfer): void
  copy(from: VirtualPath, to: VirtualPath, options: SentTransfer): void
  stage(kind: TransferKind, from: VirtualPath, to: VirtualPath, options: SentStage): void
  /** To a path in another root. */
  transferTo(kind: TransferKind, from: VirtualPath, to: OtherRoot, options: SentTransfer): void
  stageTo(kind: TransferKind, from: VirtualPath, to: OtherRoot, options: SentStage): void
  publish(to: VirtualPath, id: string, options: Omit<PublishOptions, 'signal'>): void
  unstage(to: VirtualPath, id: string, options: UnstageOptions): void
  remove(path: VirtualPath, options: SentRemoval): void
  /** JSON has no undefined. */
  keepPlace(path: VirtualPath, keep: Keep): VirtualPath | null
  /** Parts: `KeptFound[]`, of one place where stores may be. */
  keptIn(top: VirtualPath): void
  restore(place: VirtualPath, to: VirtualPath, options: SentRestore): void
  purge(place: VirtualPath, isWatched: boolean): void
  exact(path: VirtualPath): VirtualPath
  resolve(path: VirtualPath): VirtualPath
  usage(folder: VirtualPath): Usage
  openFolder(scope: string, folder: VirtualPath): number
  watchFolder(folder: VirtualPath, inotify: number, part: WatchedPart): WatchedFolder
  isVolumeGone(): boolean
  foldsCase(): boolean
  /** Of any folder of the server, by its full name. */
  inspectFolder(path: string): ServerFolderFacts
  inspectPlaces(paths: readonly string[]): (PlaceFacts | null)[]
  foldersIn(path: string, within: readonly string[]): FoldersIn
  namesIn(paths: readonly string[]): (FolderNames | null)[]
  timesOf(paths: readonly string[]): (PlaceTimes | null)[]
  textsOf(paths: readonly string[]): (string | null)[]
  clearDrafts(left: readonly LeftDraft[]): void
  guardHalfWritten(left: readonly LeftDraft[]): void
  repairHalfWritten(): void
  restoreSources(left: readonly LeftSource[]): void
  orphansIn(folder: string, least: number): string[]
  discardOrphan(place: string, least: number): void
  /** Both are of a copy that another thread makes, with descriptors that it has opened. */
  copyRange(from: number, to: number, position: number, length: number): number
  syncFileSystem(fd: number): void
}

/** `isWatched`: progress is wanted. */
export interface SentTransfer extends Pick<TransferOptions, 'replace' | 'staged' | 'taken' | 'keep'> {
  readonly isWatched: boolean
}

export interface SentRemoval extends Pick<RemoveOptions, 'only' | 'keptAt' | 'keep'> {
  readonly isWatched: boolean
}

export interface SentStage extends Pick<StageOptions, 'id' | 'replace' | 'taken'> {
  readonly isWatched: boolean
}

export interface SentRestore extends Pick<RestoreOptions, 'replace' | 'taken' | 'keep' | 'over'> {
  readonly isWatched: boolean
}

export type VerbName = keyof VerbCalls

export interface Task<V extends VerbName = VerbName> {
  readonly verb: V
  readonly base: Base
  readonly args: Parameters<VerbCalls[V]>
}

export type ToThread =
  | { kind: 'start'; settings: ThreadSettings }
  | { kind: 'tasks'; tasks: readonly { id: number; task: Task }[]; modes: Modes; stores: KeepStores; now: number }
  | { kind: 'cancel'; id: number }
  /** To be answered with news, even if there are none. */
  | { kind: 'prod' }
  | { kind: 'servedFolders'; folders: readonly ServedFolder[] | undefined }
  /** What another thread has seen. */
  | { kind: 'volumes'; volumes: VolumeState }
  /** The part that came last was taken in; another one may be sent. */
  | { kind: 'taken'; id: number }
  | { kind: 'answer'; question: number; value?: unknown; error?: Refusal }

export type FromThread =
  /** The libraries are loaded; disks have not been looked at. */
  | { kind: 'loaded' }
  | { kind: 'ready' }
  /** The tasks that were done in one turn of the thread; that others are begun is told by a shared number. */
  | { kind: 'news'; done: readonly Outcome[] }
  | { kind: 'part'; id: number; part: unknown }
  | { kind: 'question'; question: number; name: string; args: readonly unknown[] }
  | { kind: 'volumes'; volumes: VolumeState }
  | { kind: 'orphans'; places: readonly string[] }
  /** In the root of that full name, which may be another one than the thread's. */
  | { kind: 'effects'; root: string; operation: string; effects: readonly Effect[] }
  /** A link to another file system, whose name does not tell which. The thread looks there next, and may fall asleep. */
  | { kind: 'link'; link: string; target: string }

export interface Outcome {
  readonly id: number
  readonly value?: unknown
  readonly error?: Refusal
}

// Text goes from thread to thread several times faster than an object. So messages that JSON can carry, which are those of
// nearly all requests, are sent as text; many bytes, and numbers that are not finite, are sent as what they are.

export const received = <Message>(data: Message | string): Message =>
  typeof data === 'string' ? (JSON.parse(data) as Message) : data

const textVerbs = new Set<VerbName>([
  ...([
    'stat',
    'list',
    'names',
    'describe',
    'namesInOrder',
    'peek',
    'readFiles',
    'readInPlaces',
    'open',
    'readHead',
    'find',
    'exact',
    'resolve',
    'usage',
    'watchFolder',
  ] as const),
  ...(['beginDraft', 'openDraft', 'commitDraft', 'closeDraft', 'dropDraft', 'writeFilled', 'createFolder'] as const),
  ...(['copyRange', 'syncFileSystem'] as const),
])

export function isTextTask({ verb, args }: Task): boolean {
  if (verb === 'write') return typeof args[1] === 'string'
  if (verb === 'completeDraft') return typeof (args[2] as { bytes: PackedBytes }).bytes === 'string'
  return textVerbs.has(verb)
}

export function isTextOutcome({ value }: Outcome): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (value instanceof Uint8Array || value instanceof Map) return false
  const { bytes, head, small, once, numbers, slot } = value as FoundByThread & ListingEnd & PackedEntries & FilesInSlot
  return (
    typeof bytes !== 'object' &&
    typeof head !== 'object' &&
    (small?.sent ?? once ?? numbers ?? slot?.memory) === undefined
  )
}

/** What a thread read for one task alone is handed over without a copy. */
export function handedOver({ value }: Outcome): ArrayBuffer[] {
  if (value instanceof Uint8Array) return [value.buffer as ArrayBuffer]
  const bytes = typeof value === 'object' && value !== null ? (value as FileOfThread).bytes : undefined
  return bytes instanceof Uint8Array ? [bytes.buffer] : []
}

/** So many bytes of a file go from thread to thread; more are read and written through the descriptor. */
export const smallContent = 64 * 1024

/** The entries of a small folder, which are sent once. Numbers rise; those below `least` are not referred to any more. */
export interface NumberedEntries {
  readonly thread: number
  readonly number: number
  readonly sent?: { readonly least: number; readonly packed: PackedEntries }
}

/** What a listing ends with: the entries of a small folder, or the number under which the thread has sent them before. */
export interface ListingEnd {
  readonly folder: DiskFacts
  readonly small?: NumberedEntries | undefined
  /** The entries of a small folder that neither side remembers. */
  readonly once?: PackedEntries | undefined
}

/** The content, or where it is in memory that is shared, or a descriptor that it is read through and the first bytes. */
export interface FileOfThread {
  readonly entry: DiskFacts
  readonly slot?: { readonly thread: number; readonly number: number }
  readonly fd?: number
  readonly head?: PackedBytes | undefined
  readonly bytes?: PackedBytes
}

/** The files that were read, the places of those that were not, and all bytes in one piece. */
export interface FilesOfThread {
  readonly files: PackedEntries
  readonly unread: readonly number[]
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** What is to be read to places: by name, and the numbers of each as `packPlaces` has them. */
export interface SentPlaces {
  readonly names: readonly string[]
  readonly numbers: readonly number[]
  readonly size: number
}

/** Files in memory that is shared, which comes along the first time; or in a piece of memory of its own. */
export interface FilesInSlot {
  /** Null for what was not read: JSON has no undefined. */
  readonly checksums: readonly (number | null)[]
  readonly slot?: { readonly thread: number; readonly number: number; readonly memory?: SharedArrayBuffer }
  readonly bytes?: Uint8Array<ArrayBuffer>
}

export interface HeadOfThread {
  readonly entry: DiskFacts
  readonly head: PackedBytes
}

export interface FoundByThread extends FileOfThread {
  readonly small?: ListingEnd['small']
  /** The entries of a folder have come, by now or with this. */
  readonly isListed?: boolean
}
