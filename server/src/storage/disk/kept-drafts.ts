import { Failure } from '../../failure.ts'
import type { Keep } from '../keeping.ts'
import { tolerating, translated } from '../linux/errno.ts'
import type { FileCalls } from '../linux/file-calls.ts'
import { type Kernel, O, type Stat } from '../linux/kernel.ts'
import { isFreeToLock } from '../linux/locks.ts'
import { draftPrefix } from '../path.ts'
import type { BeginDraftOptions, DraftAccess, LastBytes, OpenDraft, WriteOptions } from '../port.ts'
import type { Disk } from './disk.ts'
import { dropName } from './displace.ts'
import { discard, forgetDraft, pathOfDescriptor } from './drafts.ts'
import { type DiskEntry, entryOf } from './entry.ts'
import { growingFile } from './growing.ts'
import { DraftNeeded } from './in-place.ts'
import { publishDraft, requireStillWritable, requireWritable } from './replacing.ts'
import { sync } from './sync.ts'
import { statAt, type Target } from './target.ts'
import { applyMetadata, draftMode, openDraftFolder, openSpool, requireLength } from './writing.ts'

/** Makes the draft, or finds it; the size tells how much of it is there already. */
export async function beginDraft(disk: Disk, place: Target, id: string, options: BeginDraftOptions): Promise<number> {
  const { kernel } = disk
  const before = requireWritable(disk, place, options)
  const name = nameFor(id)
  const folder = openDraftFolder(disk, place, before)
  try {
    const found = statAt(kernel, { folder, name })
    const size = found?.size ?? 0
    requireSpace(kernel, folder, (options.length ?? 0) - size)
    // Otherwise the refusal of the draft says why.
    if (options.isLater && (found !== undefined || kernel.isWritable(folder))) return size
    // Not synced: a draft that a power cut takes away was not acknowledged as anything yet.
    kernel.close(kernel.open(folder, name, O.RDWR | O.CREAT | O.NOFOLLOW | O.NONBLOCK, draftMode(disk, before)))
    // It is not refused after all, and what has no row yet must not stay.
    if (options.isLater) dropName(kernel, { folder, name })
    return size
  } finally {
    if (folder !== place.folder) kernel.close(folder)
  }
}

/** An open draft without what grows it, which may be the work of another thread. */
export interface DraftDescriptor {
  readonly fd: number
  readonly size: number
  /** `secure` syncs the draft, whose size by then is `size`. */
  commit(size: number, options: WriteOptions, secure: () => Promise<void>): Promise<DiskEntry>
  close(): void
}

/** Runs work with a disk that keeps what it displaces. */
type KeepingWork = <T>(keep: Keep | undefined, work: (disk: Disk) => Promise<T>) => Promise<T>

/** The place is closed with the draft. */
export function openDraftDescriptor(
  disk: Disk,
  place: Target,
  id: string,
  { isExclusive = false }: DraftAccess = {},
  keeping: KeepingWork = (_, work) => work(disk),
): DraftDescriptor {
  const draft = findDraft(disk, place, nameFor(id), isExclusive)
  return {
    fd: draft.fd,
    size: draft.size,
    commit: (size, options, secure) =>
      translated(() => keeping(options.keep, (disk) => commit(disk, place, draft, size, options, secure))),
    close() {
      closeDraft(disk, place, draft)
      place.close()
    },
  }
}

export function openDraftOver(calls: FileCalls, descriptor: DraftDescriptor, { safe }: DraftAccess = {}): OpenDraft {
  const file = growingFile(calls, descriptor.fd, descriptor.size, safe)
  return {
    get size() {
      return file.size
    },
    append: (bytes) => translated(() => file.receive(bytes)),
    readInto: (memory, start) => translated(() => calls.read(descriptor.fd, memory, start)),
    truncate: (length) => translated(() => file.truncate(length)),
    sync: () => translated(() => sync(calls, descriptor.fd)),
    commit: (options) => descriptor.commit(file.size, options, () => file.secure()),
    close: () => descriptor.close(),
  }
}

/** Puts the last bytes behind the others and the file in its place, while no other process may do so. */
export async function completeDraft(
  disk: Disk,
  place: Target,
  id: string,
  { offset, bytes }: LastBytes,
  options: WriteOptions,
): Promise<DiskEntry> {
  const draft = findDraft(disk, place, nameFor(id), true)
  try {
    if (draft.size !== offset) throw new Failure('wrong-offset', `The draft goes on at ${draft.size}, not at ${offset}`)
    const file = growingFile(disk.kernel, draft.fd, offset)
    await file.add(bytes)
    return await commit(disk, place, draft, file.size, options, () => file.secure())
  } finally {
    closeDraft(disk, place, draft)
  }
}

export async function dropDraft(disk: Disk, place: Target, id: string): Promise<void> {
  const draft = tolerating(['ENOENT'], () => findDraft(disk, place, nameFor(id)))
  if (draft === undefined) return
  try {
    dropName(disk.kernel, draft)
  } finally {
    closeDraft(disk, place, draft)
  }
}

interface FoundDraft {
  readonly folder: number
  readonly name: string
  readonly fd: number
  readonly size: number
}

async function commit(
  disk: Disk,
  place: Target,
  found: FoundDraft,
  size: number,
  options: WriteOptions,
  secure: () => Promise<void>,
): Promise<DiskEntry> {
  const { kernel, ledger } = disk
  requireLength(size, options.length)
  const draft = {
    ...found,
    // Only few ask for it, and it takes a look at the disk.
    get place() {
      return `${pathOfDescriptor(found.folder)}/${found.name}`
    },
  }
  applyMetadata(disk, draft.fd, place, requireStillWritable(disk, place, options), options)
  await secure()
  let published: Stat
  try {
    published = await publishDraft(disk, place, draft, options)
  } catch (error) {
    if (error instanceof DraftNeeded) throw error.cause
    // Overwriting may have been noted before it was refused; the next start must not make up for it.
    await forgetDraft(ledger, draft.place)
    throw error
  }
  const isOverwritten = kernel.statOpen(draft.fd).inode !== published.inode
  if (isOverwritten && (await discard(kernel, draft.folder, draft.name))) await forgetDraft(ledger, draft.place)
  return entryOf(place.name, published)
}

/** Beside its target, or in the spool where that folder was closed to us. */
function findDraft(disk: Disk, place: Target, name: string, isExclusive = false): FoundDraft {
  const { kernel } = disk
  const open = (folder: number): FoundDraft => {
    const fd = kernel.open(folder, name, O.RDWR | O.NOFOLLOW | O.NONBLOCK)
    try {
      // The kernel drops the lock with the descriptor, however the process ends.
      if (isExclusive && !isFreeToLock(fd, 0)) throw new Failure('locked', 'Another server is writing to the draft')
      return { folder, name, fd, size: kernel.statOpen(fd).size }
    } catch (error) {
      kernel.close(fd)
      throw error
    }
  }
  const beside = tolerating(['ENOENT'], () => open(place.folder))
  if (beside !== undefined) return beside
  const spool = openSpool(disk)
  if (spool === undefined) return open(place.folder)
  try {
    return open(spool)
  } catch (error) {
    kernel.close(spool)
    throw error
  }
}

function closeDraft({ kernel }: Disk, place: Target, { folder, fd }: FoundDraft): void {
  kernel.close(fd)
  if (folder !== place.folder) kernel.close(folder)
}

function requireSpace(kernel: Kernel, folder: number, needed: number): void {
  if (needed <= 0) return
  const { total, available } = kernel.space(folder)
  // Some file systems do not tell.
  if (total > 0 && needed > available) throw new Failure('no-space', 'The disk has not enough space')
}

const nameFor = (id: string): string => `${draftPrefix}${id}`
