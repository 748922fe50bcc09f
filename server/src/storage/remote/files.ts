import type { Usage } from '@filestead/contract'
import type { Cancellation } from '../../concurrency/cancellation.ts'
import type { Entry } from '../entry.ts'
import type { VirtualPath } from '../path.ts'
import type { AddressOptions, Precondition } from '../port.ts'

/**
 * What a server elsewhere can do with files, in as few verbs as there are ways to do it: `remote/storage.ts` makes a
 * storage of them, with everything that is the same for all such servers (merges, staging, what is kept, exclusive drafts).
 * Paths are literal and begin at the root of the mount. Whatever goes wrong is a `Failure`: 'unavailable' where the server
 * does not answer, so that a later try may succeed.
 */
export interface RemoteFiles {
  readonly abilities: RemoteAbilities
  /**
   * Undefined where nothing has the name, also below a file. A symlink is described, not followed. With symlinks, a folder
   * has an id, which may be its path.
   */
  stat(path: VirtualPath): Promise<Entry | undefined>
  /**
   * The entries of a folder in no order, page by page, hidden ones included. 'not-found' where it is no folder. Their times
   * may be those of the last upload, where only `stat` knows better.
   */
  list(folder: VirtualPath, signal?: Cancellation): AsyncIterable<readonly Entry[]>
  /**
   * Everything below a folder, page by page and in no order: hidden ones too, and each folder once, also one that is only a
   * part of names. Only where that is cheaper than listing every folder.
   */
  listBelow?(folder: VirtualPath, signal?: Cancellation): AsyncIterable<readonly EntryBelow[]>
  /** The bytes from `start` up to `end`. Fails as 'changed-meanwhile' where the file is not `entry` any more, or gone. */
  read(path: VirtualPath, entry: Entry, start: number, end: number): ReadableStream<Uint8Array<ArrayBuffer>>
  /**
   * Whole or not at all, and only where the precondition holds in the very step, as far as `abilities` say. The parent is
   * there. The pieces may be kept. What `bytes` throws ends it with that error. Without `abilities.conditional` files of users
   * come as drafts instead, whose commit is asked for under a lock and right after a look.
   */
  write(path: VirtualPath, bytes: AsyncIterable<Uint8Array>, options: RemoteWrite): Promise<Entry>
  /** Makes the draft, or finds it: how many bytes does it hold? The parent is there. Nothing shows, but as a hidden name. */
  beginDraft(path: VirtualPath, id: string, options: RemoteBegin): Promise<number>
  /** 'not-found' where there is none. Others may look at it meanwhile; the caller sees to it that nothing else changes it. */
  openDraft(path: VirtualPath, id: string): Promise<RemoteDraft>
  /** One that is gone is fine. */
  dropDraft(path: VirtualPath, id: string): Promise<void>
  /** One folder in a folder that is there. One that is there already is fine. */
  createFolder(folder: VirtualPath): Promise<void>
  /** Without the bytes passing through here, where the server can. The time of the content stays. */
  copyFile(from: VirtualPath, to: VirtualPath, options: RemoteCopy): Promise<Entry>
  /** In one step; undefined where the server cannot, so that it is a copy and a removal. */
  renameFile?(from: VirtualPath, to: VirtualPath, precondition: Precondition): Promise<void>
  /** A second name of the same file, which is free: what is replaced is kept so. Else it is copied. */
  linkFile?(from: VirtualPath, to: VirtualPath): Promise<void>
  /** What a symlink says, and one that says so at a free name. Both where `abilities.symlinks` is true. */
  readLink?(path: VirtualPath): Promise<string>
  makeLink?(path: VirtualPath, target: string): Promise<void>
  /** What absolute symlinks call the root of the mount; only where there are any. */
  readonly root?: string
  /** Of a folder that was copied, once all is in it. Only where folders have times. */
  setFolderTime?(folder: VirtualPath, time: Pick<Entry, 'seconds' | 'nanoseconds'>): Promise<void>
  /** Do two files have the same bytes, as far as sums of the server tell? Undefined where they do not. */
  haveSameBytes?(one: Entry, two: Entry): boolean | undefined
  /** In one step, to a free name; undefined where folders are only parts of names. What is hidden in it goes along. */
  renameFolder?(from: VirtualPath, to: VirtualPath): Promise<void>
  /**
   * A file, or a symlink. One that is gone is fine. With a version only the file of that version, else
   * 'changed-meanwhile'.
   */
  removeFile(path: VirtualPath, version?: string): Promise<void>
  /** Many at once, where the server can. */
  removeFiles?(paths: readonly VirtualPath[]): Promise<void>
  /** Fails as 'already-exists' where something is in it. One that is gone is fine. */
  removeFolder(folder: VirtualPath): Promise<void>
  space?(): Promise<Usage>
  /** An address of the file that a client may fetch by itself for a while, and how it shall be called there. */
  addressOf?(path: VirtualPath, entry: Entry, options: AddressOptions): Promise<string>
  /** Tries to read and, where that is asked for, to write. A sentence for administrators where it cannot. */
  probe(): Promise<string | undefined>
  close(): void
}

export interface RemoteAbilities {
  /** Readers of a file that is replaced see the old or the new one. */
  readonly atomicReplace: boolean
  /** Can the server refuse a write where a file has the name, and where it is another one than expected? */
  readonly conditional: boolean
  /** Names that differ only in case may lead to the same file. */
  readonly foldsCase: boolean
  readonly symlinks: boolean
  /** What this server cannot promise, in sentences for administrators. */
  readonly weaknesses: readonly string[]
}

export interface EntryBelow {
  readonly path: VirtualPath
  readonly entry: Entry
}

export interface RemoteWrite {
  readonly precondition: Precondition
  /** How many bytes there will be, where that is known. */
  readonly length?: number | undefined
  /** In milliseconds since 1970; now, if it is not given. */
  readonly modified?: number | undefined
  /** Called by a commit of many steps whenever one is done: the server works on it. */
  readonly moved?: (() => void) | undefined
}

/** What is known of a draft at its beginning. */
export interface RemoteBegin {
  /** How many bytes there will be. Where that is 0 or undefined, the draft can be read and cut off anywhere. */
  readonly length?: number | undefined
  /** As of `RemoteWrite`. Some servers take it down now, and give a large file another time only by copying it. */
  readonly modified?: number | undefined
}

export interface RemoteCopy {
  readonly precondition: Precondition
  readonly signal?: Cancellation | undefined
  /** Only this version of the source. */
  readonly version?: string | undefined
  /** So many bytes more are copied; 0 where the server only tells that it works on it. */
  readonly progress?: ((bytes: number) => void) | undefined
}

export interface RemoteDraft {
  readonly size: number
  /** When the sender or the server fails, what came before is kept. */
  append(bytes: AsyncIterable<Uint8Array>): Promise<void>
  /** Fails as 'unavailable' where the length was known at the beginning, and the server cannot read what it keeps. */
  read(start: number, end: number): Promise<Uint8Array>
  /** In that case it may cut off more: `size` tells. */
  truncate(size: number): Promise<void>
  /** Until then other nodes, and this one after a crash, may find fewer bytes. */
  sync(): Promise<void>
  /** The draft becomes the file, as by `write`; when it is refused, it is still there. */
  commit(options: RemoteWrite): Promise<Entry>
}

/** What drafts of servers elsewhere need to know after a restart and on other nodes: rows of the database. */
export interface DraftRecords {
  /** As it was last saved; undefined where nothing was. */
  find(path: VirtualPath, id: string): Promise<string | undefined>
  /** JSON of the adapter, which no other part reads. Survives a power cut. */
  save(path: VirtualPath, id: string, state: string): Promise<void>
  forget(path: VirtualPath, id: string): Promise<void>
  /** Refused as 'locked' while a living node has it. */
  lock(path: VirtualPath, id: string): Promise<() => void>
  /** All of this mount, with what was saved. */
  all(): Promise<readonly DraftRecord[]>
}

export interface DraftRecord {
  readonly path: VirtualPath
  readonly id: string
  readonly state: string
  /** In seconds since 1970. */
  readonly savedAt: number
}
