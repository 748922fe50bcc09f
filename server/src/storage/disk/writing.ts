import { resolve } from 'node:path'
import { Failure } from '../../failure.ts'
import { codeOf, noLinks, succeeds, tolerating } from '../linux/errno.ts'
import type { FileCalls } from '../linux/file-calls.ts'
import { type Kernel, O, type Stat } from '../linux/kernel.ts'
import { withoutPrivileges } from '../linux/modes.ts'
import type { WriteOptions } from '../port.ts'
import { copyContent, keepAttributes, keepOwner } from './copying.ts'
import type { Disk } from './disk.ts'
import { type Draft, withDraft } from './drafts.ts'
import { type DiskEntry, entryOf } from './entry.ts'
import { growingFile } from './growing.ts'
import { publishDraft, requireStillWritable, requireWritable } from './replacing.ts'
import { sync, syncNamed } from './sync.ts'
import type { Target } from './target.ts'

interface Content {
  /** Writes all of it into an open and empty draft. */
  fill(draft: number): Promise<void>
  /** A new file looks like this open one. */
  template?: { fd: number; stat: Stat }
}

/**
 * The one way a file comes into being or changes: a hidden draft, its length, fsync, rename, fsync of the folder. A small new
 * file has no name before it gets its own: nothing has to be noted about it, because nothing of it is left after a crash. It is
 * synced when it has its name: what was synced before is a file without one, which a power cut leaves as that on a file system
 * without a journal.
 */
export async function putFile(disk: Disk, place: Target, content: Content, options: WriteOptions): Promise<DiskEntry> {
  const { kernel } = disk
  const before = requireWritable(disk, place, options)
  const isSmall = options.length !== undefined && options.length <= mostNameless
  const fd = before === undefined && isSmall ? openNameless(disk, place) : undefined
  if (fd === undefined) return putByDraft(disk, place, content, options, before)
  try {
    await fillDraft(disk, fd, place, content, options, before)
    await writeOut(kernel, fd)
    if (!isNamed(disk, fd, place, options)) {
      const copy = { ...content, fill: (draft: number) => copyContent({ kernel }, fd, draft) }
      return await putByDraft(disk, place, copy, options, requireStillWritable(disk, place, options))
    }
    await syncNamed(kernel, fd, place.folder)
    tellOthers(kernel, place)
    return entryOf(place.name, kernel.statOpen(fd))
  } finally {
    kernel.close(fd)
  }
}

/** The bytes are on the disk before the name is, or what a power cut leaves could be an empty file. */
async function writeOut(kernel: Kernel, fd: number): Promise<void> {
  try {
    kernel.writeOut(fd)
  } catch (error) {
    // Some sandboxes refuse the call.
    if (!['ENOSYS', 'EPERM', 'EINVAL', 'ESPIPE'].includes(codeOf(error) ?? '')) throw error
    await sync(kernel, fd)
  }
}

/**
 * Programs that watch a folder for finished files take one when it is moved there, or closed after it was written. A link is
 * neither, and the descriptor that wrote it is closed under no name.
 */
function tellOthers(kernel: Kernel, { folder, name }: Target): void {
  try {
    kernel.close(kernel.open(folder, name, O.WRONLY | O.NOFOLLOW | O.NONBLOCK))
  } catch {
    // The file is safe, also where no other program heard of it.
  }
}

/** In bytes: where a file system cannot name what has no name, so much is copied. */
const mostNameless = 64 * 1024

const openNameless = (disk: Disk, { folder }: Target): number | undefined =>
  tolerating(['EOPNOTSUPP', 'ENOTSUP', 'EISDIR', 'EINVAL', 'ENOSYS', 'EIO', 'ENOENT'], () =>
    disk.kernel.canNameLater(folder) ? disk.kernel.openNameless(folder, draftMode(disk, undefined)) : undefined,
  )

/** False where the name was taken at this very moment by what may be replaced, or the file system does not link such files. */
function isNamed(disk: Disk, fd: number, place: Target, options: WriteOptions): boolean {
  if (requireStillWritable(disk, place, options) !== undefined) return false
  const refusals = [...noLinks, 'ENOENT', 'ELOOP']
  return succeeds(options.precondition === 'any' ? [...refusals, 'EEXIST'] : refusals, () =>
    disk.kernel.giveName(fd, place.folder, place.name),
  )
}

async function putByDraft(
  disk: Disk,
  place: Target,
  content: Content,
  options: WriteOptions,
  before: Stat | undefined,
): Promise<DiskEntry> {
  const { kernel, ledger } = disk
  const folder = openDraftFolder(disk, place, before)
  const fillAndPublish = async (draft: Draft) => {
    const mode = content.template ? 0o600 : draftMode(disk, before)
    const fd = kernel.open(folder, draft.name, O.RDWR | O.CREAT | O.EXCL | O.NOFOLLOW, mode)
    try {
      await fillDraft(disk, fd, place, content, options, before)
      await sync(kernel, fd)
      return entryOf(place.name, await publishDraft(disk, place, { ...draft, folder, fd }, options))
    } finally {
      kernel.close(fd)
    }
  }
  try {
    return await withDraft(kernel, ledger, folder, fillAndPublish)
  } finally {
    if (folder !== place.folder) kernel.close(folder)
  }
}

async function fillDraft(
  disk: Disk,
  fd: number,
  place: Target,
  content: Content,
  options: WriteOptions,
  before: Stat | undefined,
): Promise<void> {
  await content.fill(fd)
  applyMetadata(disk, fd, place, before, options, content.template)
}

/** Fills an open draft with what arrives. */
export async function receive(
  calls: FileCalls,
  draft: number,
  bytes: AsyncIterable<Uint8Array>,
  length: number | undefined,
): Promise<void> {
  const file = growingFile(calls, draft, 0)
  await file.receive(length === undefined ? bytes : atMost(length, bytes))
  requireLength(file.size, length)
}

/** The same for bytes that are all there. */
export async function fillWith(
  calls: FileCalls,
  draft: number,
  bytes: Uint8Array,
  length: number | undefined,
): Promise<void> {
  if (length !== undefined && bytes.length > length) throw tooMany()
  await growingFile(calls, draft, 0).add(bytes)
  requireLength(bytes.length, length)
}

async function* atMost(length: number, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const piece of bytes) {
    size += piece.length
    if (size > length) throw tooMany()
    yield piece
  }
}

const tooMany = () => new Failure('invalid', 'more bytes came than were announced')

export function requireLength(size: number, length: number | undefined): void {
  if (length !== undefined && size !== length)
    throw new Failure('incomplete', 'The connection ended before the file was whole')
}

/** Gives a full draft the looks of the file it shall become. */
export function applyMetadata(
  disk: Disk,
  draft: number,
  place: Target,
  before: Stat | undefined,
  { modified }: WriteOptions,
  template?: Content['template'],
): void {
  if (before === undefined) applyNewMetadata(disk, draft, template)
  else keepMetadata(disk.kernel, draft, place, before)
  if (template) disk.kernel.setTimes(draft, template.stat.seconds, template.stat.nanoseconds)
  else if (modified !== undefined) {
    const seconds = Math.floor(modified / 1000)
    disk.kernel.setTimes(draft, seconds, (modified - seconds * 1000) * 1_000_000)
  }
}

/**
 * A draft that becomes a new file is made with its mode: only then does it get what the default access control list of the
 * folder gives it. A later change of the mode would set the mask of that list. One that replaces a file is closed to others,
 * because the old file may be. Its owner can write it in any case, since a draft is opened again for each part.
 */
export const draftMode = ({ modes }: Disk, before: Stat | undefined): number =>
  before === undefined ? modes().file | 0o600 : 0o600

/** Asked once: it is asked for by setting another one, and what others create at that moment would be open to all. */
const umask = process.umask()

function applyNewMetadata({ kernel, modes }: Disk, draft: number, template: Content['template']): void {
  if (template) {
    kernel.changeMode(draft, withoutPrivileges(template.stat.mode))
    keepAttributes(kernel, template.fd, draft)
  } else if (!kernel.hasAcl(draft)) kernel.changeMode(draft, modes().file & ~umask)
  else kernel.changeMode(draft, (kernel.statOpen(draft).mode & 0o077) | (modes().file & ~0o077))
}

/** The new version looks like the old one: mode, owner and attributes, as far as the system lets us. */
function keepMetadata(kernel: Kernel, draft: number, place: Target, before: Stat): void {
  keepOwner(kernel, draft, before)
  kernel.changeMode(draft, withoutPrivileges(before.mode))
  const old = tolerating(['ENOENT', 'ELOOP', 'EACCES', 'EPERM', 'ENXIO'], () =>
    kernel.open(place.folder, place.name, O.RDONLY | O.NOFOLLOW | O.NONBLOCK),
  )
  if (old === undefined) return
  try {
    keepAttributes(kernel, old, draft)
  } finally {
    kernel.close(old)
  }
}

/** Beside the target, because a rename is atomic only within a folder's file system; elsewhere if that is closed to us. */
export function openDraftFolder(disk: Disk, place: Target, before: Stat | undefined): number {
  if (before === undefined || disk.kernel.isWritable(place.folder)) return place.folder
  // Without a spool the folder itself has to do, and says best why it does not.
  return openSpool(disk) ?? place.folder
}

export const openSpool = ({ kernel, spool }: Disk): number | undefined =>
  tolerating(['ENOENT', 'ENOTDIR', 'EACCES'], () => kernel.open(-1, resolve(spool), O.RDONLY | O.DIRECTORY))
