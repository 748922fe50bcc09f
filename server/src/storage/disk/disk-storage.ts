import type { Cancellation } from '../../concurrency/cancellation.ts'
import type { NamesInOrder, OrderWish, RowForm, Rows } from '../folder-rows.ts'
import type { KeptFound } from '../keeping.ts'
import type { NameFilter } from '../name-filter.ts'
import type { VirtualPath } from '../path.ts'
import type { DraftAccess, FileHead, FindOptions, LastBytes, Named, Storage, WriteOptions } from '../port.ts'
import type { StageOptions, TransferKind, TransferOptions } from '../transfer-options.ts'
import type { DiskEntry } from './entry.ts'
import type { Rooted } from './in-target.ts'
import type { DraftDescriptor } from './kept-drafts.ts'
import type { Take } from './listing.ts'
import type { WatchedFolder, WatchedPart } from './watched-folder.ts'
import type { FilesOnDisk, Place } from './whole-files.ts'

/** What the adapter offers beyond the port, to a caller that reads and writes the bytes itself, in another thread. */
export interface DiskStorage extends Storage {
  stat(path: VirtualPath): Promise<DiskEntry>
  /** A listing in parts, as the folder is read; the next part waits until `take` is done. Tells of the folder itself. */
  listInto(folder: VirtualPath, take: Take<DiskEntry>, signal?: Cancellation, isOnce?: boolean): Promise<DiskEntry>
  namesInto(folder: VirtualPath, take: Take<Named>, signal?: Cancellation, filter?: NameFilter): Promise<void>
  namesInOrder(folder: VirtualPath, wish: OrderWish, signal?: Cancellation): Promise<NamesInOrder | undefined>
  rowsOf(folder: VirtualPath, names: Uint8Array<ArrayBuffer>, form: RowForm): Promise<Rows>
  /** `readFiles` with all bytes in one piece. */
  readWholeFiles(folder: VirtualPath, names: readonly string[], room: number): Promise<FilesOnDisk>
  /** `readInPlaces` into memory of the caller. */
  readFilesInto(folder: VirtualPath, places: Iterable<Place>, memory: Uint8Array): Promise<(number | undefined)[]>
  describe(folder: VirtualPath, named: readonly Named[], signal?: Cancellation): Promise<DiskEntry[]>
  /** Opens a file for reading; the caller closes the descriptor. */
  openDescriptor(file: VirtualPath): Promise<OpenDescriptor>
  readHead(file: VirtualPath): Promise<HeadOnDisk>
  /** `find` with a descriptor of a file, which the caller closes, and with the entries of a folder in parts. */
  findDescriptor(path: VirtualPath, options: FindDescriptorOptions): Promise<FoundDescriptor>
  /** `write` with bytes that `fill` puts into an open draft. */
  writeWith(file: VirtualPath, fill: (draft: number) => Promise<void>, options: WriteOptions): Promise<DiskEntry>
  completeDraft(file: VirtualPath, id: string, last: LastBytes, options: WriteOptions): Promise<DiskEntry>
  draftDescriptor(file: VirtualPath, id: string, access?: DraftAccess): Promise<DraftDescriptor>
  watchFolder(folder: VirtualPath, inotify: number, part: WatchedPart): Promise<WatchedFolder>
  beneath(folder: VirtualPath): DiskStorage
  /** What is kept in the stores of one top; see store-contents.ts. */
  keptIn(top: VirtualPath, take: Take<KeptFound>, signal?: Cancellation): Promise<void>
  /** `rename` or `copy` to a path in another root. */
  transferTo(kind: TransferKind, from: VirtualPath, to: OtherEnd, options: TransferOptions): Promise<void>
  /** `stage` for that. */
  stageTo(kind: TransferKind, from: VirtualPath, to: OtherEnd, options: StageOptions): Promise<void>
}

export interface OtherEnd {
  readonly root: Rooted
  readonly path: VirtualPath
}

export interface FindDescriptorOptions extends Pick<FindOptions, 'largestOpened' | 'mostListed' | 'signal'> {
  take?: Take<DiskEntry> | undefined
}

export interface HeadOnDisk extends FileHead {
  readonly entry: DiskEntry
  readonly head: Uint8Array<ArrayBuffer>
}

export interface OpenDescriptor {
  readonly fd: number
  readonly entry: DiskEntry
  /** Has it several names? Then it is overwritten in place. */
  readonly links: number
}

export type FoundDescriptor =
  | OpenDescriptor
  /** Were all entries of a folder taken? */
  | { readonly fd?: undefined; readonly entry: DiskEntry; readonly isListed?: boolean }
