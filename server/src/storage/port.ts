import type { Usage } from '@filestead/contract'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { Failure } from '../failure.ts'
import type { Entry, EntryFacts } from './entry.ts'
import type { FolderRows } from './folder-rows.ts'
import type { Keep, KeptFound } from './keeping.ts'
import type { NameFilter } from './name-filter.ts'
import type { VirtualPath } from './path.ts'
import type {
  Progress,
  PublishOptions,
  StageOptions,
  TransferKind,
  TransferOptions,
  UnstageOptions,
} from './transfer-options.ts'

/**
 * Where the bytes live. A path is taken literally: no verb follows a link, so what was checked is what is touched.
 * A link that stands in the way ends the verb with `LinkInTheWay`; `resolve` then tells where the path really leads.
 * Everything else that goes wrong is a `Failure`, never an errno.
 */
export interface Storage {
  readonly capabilities: Capabilities
  /** What the name itself stands for: a link is described, not followed. */
  stat(path: VirtualPath): Promise<Entry>
  /** A folder and its entries in no order. A large one is read in slices, so that others get their turn. */
  list(folder: VirtualPath, signal?: Cancellation, options?: ListOptions): Promise<Listing>
  /** Names and kinds alone, at a fraction of what a listing costs. */
  names(folder: VirtualPath, signal?: Cancellation, options?: NamesOptions): Promise<Named[]>
  /** The entries of names that `names` has told, in that order; those that are gone by now are left out. */
  describe(folder: VirtualPath, named: readonly Named[], signal?: Cancellation): Promise<Entry[]>
  /** Large folders as text, of a storage that makes it beside the event loop. */
  readonly rows?: FolderRows | undefined
  /** Tells every path below a folder, exactly as it lies there: also names that no request can hold. */
  visitBelow(folder: VirtualPath, visit: (path: VirtualPath) => void): Promise<void>
  /** The first bytes of files in a folder, by name. One that cannot be read, or is none, has none. */
  peek(folder: VirtualPath, names: readonly string[], signal?: Cancellation): Promise<ReadonlyMap<string, Uint8Array>>
  /**
   * Small files of a folder as a whole, in the order of their names: as many of the first ones as fit into `room` bytes and
   * can be read in a moment, but one at least. Undefined for what has to be opened by itself: a larger file, no file, a
   * link, one that cannot be read.
   */
  readFiles(folder: VirtualPath, names: readonly string[], room: number): Promise<readonly (WholeFile | undefined)[]>
  /**
   * The same into memory in which the caller puts something between them; undefined where that is not possible. Of a storage
   * that reads beside the event loop.
   */
  readonly readInPlaces?: ((folder: VirtualPath, places: Places) => Promise<FilesInPlace | undefined>) | undefined
  open(file: VirtualPath): Promise<OpenFile>
  /** What `open` and `head` of the file tell, in one step: nothing stays open. */
  readHead(file: VirtualPath): Promise<FileHead>
  /** `stat` and then `open` or `list`, in one step: a request for a path does not know what it will find there. */
  find(path: VirtualPath, options: FindOptions): Promise<Found>
  /**
   * Whole or not at all: until the last byte is safe, others see the old file or none. Missing parents are made. The pieces
   * belong to the storage, which may empty them.
   */
  write(file: VirtualPath, bytes: AsyncIterable<Uint8Array>, options: WriteOptions): Promise<Entry>
  /**
   * A draft that is kept over many requests, and over restarts: it is made beside `file`, or found there, and tells how
   * many bytes it holds. What `write` would refuse is refused now; missing parents are made.
   */
  beginDraft(file: VirtualPath, id: string, options: BeginDraftOptions): Promise<number>
  /** With `isExclusive` it is refused as locked while another process has it open so; a process that dies lets go. */
  openDraft(file: VirtualPath, id: string, options?: DraftAccess): Promise<OpenDraft>
  /**
   * Opens a draft exclusively, appends its last bytes and commits it, in one step: most uploads are small. Where it does not
   * end at `offset`, nothing has changed; where the commit is refused, the draft has these bytes.
   */
  completeDraft(file: VirtualPath, id: string, last: LastBytes, options: WriteOptions): Promise<Entry>
  /** One that is gone already is fine. */
  dropDraft(file: VirtualPath, id: string): Promise<void>
  /**
   * Puts folders and small files below a folder, in one step and without waiting until they are safe, which `secure` does:
   * for a tree that shows when it is whole. Parents are made; a file that has the name gives way.
   */
  fill(folder: VirtualPath, entries: readonly FilledEntry[]): Promise<void>
  /** Waits until all that lies below a folder is safe. */
  secure(folder: VirtualPath): Promise<void>
  /** Parents included; a folder that is there already is fine. */
  createFolder(folder: VirtualPath, options?: Pick<WriteOptions, 'keep'>): Promise<void>
  /**
   * With `replace`, a file or a link gives way and folders are merged; a file and a folder never replace each other.
   * A link is renamed itself, but copied only inside a folder.
   */
  rename(from: VirtualPath, to: VirtualPath, options: TransferOptions): Promise<void>
  copy(from: VirtualPath, to: VirtualPath, options: TransferOptions): Promise<void>
  /**
   * The long part of a copy or move that follows under the same id: copies what is at `from` into a hidden draft beside
   * `to`, and goes on where an earlier try of the same id stopped. Nothing shows, and nothing is changed at either end. Does
   * nothing where the rest is a moment's work: a rename, a small file. What fails or is cancelled leaves the draft.
   */
  stage(kind: TransferKind, from: VirtualPath, to: VirtualPath, options: StageOptions): Promise<void>
  /**
   * The last step of what was staged by other means: the hidden draft of that id beside `to` gets the name, or is merged. A
   * second call under the same id is as of `staged`.
   */
  publish(to: VirtualPath, id: string, options: PublishOptions): Promise<void>
  /** Drops what was staged, and what is remembered of it after a copy or move. One that is gone is fine. */
  unstage(to: VirtualPath, id: string, options?: UnstageOptions): Promise<void>
  /**
   * A folder goes with all it holds, a symlink without its target. A removal that is cancelled leaves what it has not come
   * to, and leaves it visible.
   */
  remove(path: VirtualPath, options?: RemoveOptions): Promise<void>
  /**
   * Where that which is removed from here would be kept: a place in a store of the same file system, which is made where it
   * is missing. Undefined where nothing is kept. Places are paths from the root of the mount, wherever this storage begins.
   */
  keepPlace(path: VirtualPath, keep: Keep): Promise<VirtualPath | undefined>
  /**
   * What lies in the stores of the mount, told in parts: the truth about what is kept, also by other programs. To a storage
   * that begins at the root of the mount, `place` is a path like any other.
   */
  kept(take: (found: readonly KeptFound[]) => void, signal?: Cancellation): Promise<void>
  /**
   * Takes a kept thing out of its store and gives it a name, by one rename; missing parents are made. `precondition` as of
   * `write` where it is a file: what it replaces is kept by `keep`. Folders are merged as by `rename`.
   */
  restore(place: VirtualPath, to: VirtualPath, options: RestoreOptions): Promise<void>
  /** Ends a kept thing for good. One that is gone is fine. */
  purge(place: VirtualPath, options?: Pick<RemoveOptions, 'signal' | 'progress'>): Promise<void>
  /** The path with the exact names of what is shown with replacement marks, where only one looks like that. */
  exact(path: VirtualPath): Promise<VirtualPath>
  /** The same place without links. Missing names stay as they are; a path that leads out of the storage is forbidden. */
  resolve(path: VirtualPath): Promise<VirtualPath>
  usage(folder: VirtualPath): Promise<Usage>
  /** The part below a folder, as a storage that ends there. */
  beneath(folder: VirtualPath): Storage
}

/** What one storage can do and another cannot. The conformance suite expects what is declared here. */
export interface Capabilities {
  /** Symlinks may lie in it. Without them no verb ends with `LinkInTheWay`, and `resolve` answers with its path. */
  readonly symlinks: boolean
  /** A folder takes a free name in one step. Else its files go one by one, each under at least one of both names. */
  readonly atomicRename: boolean
  /** Readers of a file that is replaced see the old or the new one. Else they may find none for a moment. */
  readonly atomicReplace: boolean
  /** The content of an open file without `bytes` is a file of this machine: its `name` leads to it until it is closed. */
  readonly localFile: boolean
  /** Names that differ only in case, or in what ends them, may lead to the same file. Can change with what is mounted. */
  readonly foldsCase: boolean
  /** `usage` tells how much room there is, and what cannot fit is refused at once. Else it tells zeros. */
  readonly space: boolean
  /** A file with holes is copied with them. */
  readonly sparse: boolean
  /** What is displaced can be kept. Else `keep` has no effect, and `keepPlace` tells none. */
  readonly keeps: boolean
  /** What is moved keeps its id. Else it has none, or that of its place. */
  readonly lastingIds: boolean
}

export type { Entry } from './entry.ts'
export type { Effect, Keep, KeptFound } from './keeping.ts'

export type Named = Pick<EntryFacts, 'name' | 'exact' | 'kind'>

export interface Listing {
  readonly folder: Entry
  /** May be shared with others who asked; never to be changed. */
  readonly entries: readonly Entry[]
}

export interface FindOptions {
  /** Are the entries of a folder wanted, or only its own facts? */
  lists: boolean
  /** A file of more bytes than this is described, and not opened. */
  largestOpened?: number | undefined
  /** A folder of more entries than this is described, and not listed. */
  mostListed?: number | undefined
  signal?: Cancellation | undefined
}

/** Called before the entries of a large folder are held; what it throws ends the looking. */
export type Hold = () => void

export interface ListOptions {
  /** Read on the way through a tree: nothing of it is kept for the next time. */
  isOnce?: boolean | undefined
  hold?: Hold | undefined
}

export interface NamesOptions {
  /** Other names than these may be left out, but not those of folders. */
  filter?: NameFilter | undefined
  hold?: Hold | undefined
}

/** A regular file is open, and the caller closes it; `entries` are those of a folder. Anything else has neither, nor has a folder of too many. */
export interface Found {
  readonly entry: Entry
  readonly file?: OpenFile | undefined
  readonly entries?: readonly Entry[] | undefined
}

/** Bytes that are read when they are wanted, and by part. A Blob is one, and what the runtime sends fastest. */
export interface Content {
  readonly size: number
  slice(start: number, end: number): Content
  arrayBuffer(): Promise<ArrayBuffer>
  text(): Promise<string>
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>
}

export type DigestAlgorithm = 'md5' | 'sha1' | 'sha256' | 'sha512'

export interface OpenFile {
  readonly entry: Entry
  readonly content: Content
  /** The whole content, where it is small and was read when the file was opened. It cannot change any more. */
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined
  /** The same without a copy, for a caller that is done with it when it closes the file. */
  readonly passing?: (() => Uint8Array | undefined) | undefined
  /**
   * Fills memory of the caller with what begins at `start`, and answers how many bytes that are: fewer where the file ends.
   * Only of a file on a disk of this machine; it must not be closed meanwhile.
   */
  readonly readInto?: ((memory: Uint8Array, start: number) => Promise<number>) | undefined
  /** The hash of the whole content in hexadecimal digits, computed beside the event loop. Also only of such a file. */
  readonly digest?:
    | ((algorithm: DigestAlgorithm, signal: AbortSignal, progress?: (bytes: number) => void) => Promise<string>)
    | undefined
  /** Where a client may fetch the content by itself for a while. Undefined where it shall not. */
  readonly addressFor?: ((options: AddressOptions) => Promise<string | undefined>) | undefined
  /** The first `headLength` bytes, which tell the type of the file. */
  head(): Promise<Uint8Array>
  /** The content can be read until then. */
  close(): void
}

export interface AddressOptions {
  /** So long it holds. */
  readonly seconds: number
  readonly disposition: string
  readonly type: string
}

/** A file that was read and closed. */
export interface WholeFile {
  readonly entry: Entry
  readonly bytes: Uint8Array
}

/** Where small files of a folder are wanted in one piece of memory. */
export interface Places {
  readonly names: readonly string[]
  /** What is expected there: a file that is another one by now, or has changed, is not read. */
  readonly entries: readonly Entry[]
  /** Where each begins, behind the end of the one before. */
  readonly starts: readonly number[]
  /** Of the memory. */
  readonly size: number
}

export interface FilesInPlace {
  /**
   * The CRC-32 of the first ones, as many as can be read in a moment, but one at least. Undefined for what has to be opened by
   * itself.
   */
  readonly checksums: readonly (number | undefined)[]
  /** Besides these files it holds what was in it before, which may be content of any other file. */
  readonly memory: Uint8Array
  /** The memory is used for other files from then on. To be called once. */
  release(): void
}

export interface FileHead {
  readonly entry: Entry
  /** The first `headLength` bytes. */
  readonly head: Uint8Array
}

export interface DraftAccess {
  readonly isExclusive?: boolean
  /** So many bytes are known to be on the disk: when it fails to keep the others, the draft is cut off there. */
  readonly safe?: number
}

/** The bytes that a draft ends with, and where they begin. */
export interface LastBytes {
  readonly offset: number
  readonly bytes: Uint8Array<ArrayBuffer>
}

export interface OpenDraft {
  readonly size: number
  /** Takes in all of it. When the sender or the disk fails, what came before is kept. The pieces belong to the storage. */
  append(bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** Fills memory of the caller with what begins at `start`, and answers how many bytes that are: fewer where the draft ends. */
  readInto(memory: Uint8Array, start: number): Promise<number>
  truncate(size: number): Promise<void>
  /** Waits until all that was appended is safe. Where that fails nothing is cut off: another request may be appending. */
  sync(): Promise<void>
  /** The draft becomes the file, in one step; when it is refused, nothing has changed and the draft is still there. */
  commit(options: WriteOptions): Promise<Entry>
  close(): void
}

export interface WriteOptions {
  precondition: Precondition
  /** How many bytes there must be in the end. */
  length?: number | undefined
  /** When the content was last changed, in milliseconds since 1970; now, if it is not given. */
  modified?: number | undefined
  /** What is replaced is kept. */
  keep?: Keep | undefined
}

export interface BeginDraftOptions extends WriteOptions {
  /** The draft itself is made by a later call, or there already: now only what would be refused is refused. */
  isLater?: boolean | undefined
}

/**
 * What must be true of the name before the first byte, and again in the very step in which the file takes it: data and not
 * a function, so that a storage can have it checked wherever that step happens. A list names the versions
 * (`Entry.version`) of which one must be there.
 */
export type Precondition = 'absent' | 'present' | 'any' | readonly string[]

export interface RestoreOptions extends Pick<TransferOptions, 'replace' | 'taken' | 'signal' | 'progress' | 'keep'> {
  /** Only over a file of one of these versions. */
  over?: readonly string[] | undefined
}

export interface RemoveOptions {
  /** It is kept there, instead of being gone: a place that `keepPlace` has told. */
  keptAt?: VirtualPath | undefined
  keep?: Keep | undefined
  signal?: Cancellation | undefined
  progress?: Progress | undefined
  only?: RemovePrecondition | undefined
}

/** Asked in the very step that removes: a file of this version, or a folder that holds nothing. */
export type RemovePrecondition = { readonly version: string } | 'empty'

export interface FilledEntry {
  /** Below the folder that is filled. */
  readonly path: VirtualPath
  readonly kind: 'file' | 'folder'
  /** Of a file; it may be handed over, and be empty afterwards. */
  readonly bytes?: Uint8Array<ArrayBuffer> | undefined
  /** In seconds since 1970; now, if it is not given. */
  readonly modified?: number | undefined
  readonly isExecutable?: boolean | undefined
}

export const headLength = 512

/** Not a refusal: the caller may follow the symlink, where its actor may see what it leads to. */
export class LinkInTheWay extends Error {}

/**
 * A symlink leads out of this storage to a place that is served as well: in another mount, or elsewhere in the same one.
 * A refusal, unless the caller goes there by the location, where other rights hold.
 */
export class LeadsElsewhere extends Failure {
  constructor(readonly location: string) {
    super('forbidden', 'The link leads out of this folder')
  }
}
