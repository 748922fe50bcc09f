import { Failure } from '../../failure.ts'
import { codeOf, Errno, succeeds } from '../linux/errno.ts'
import { type Kernel, O, type Stat } from '../linux/kernel.ts'
import { isFile, isFolder, isLink } from '../linux/modes.ts'
import { LinkInTheWay, type WriteOptions } from '../port.ts'
import { requireVersion } from '../version.ts'
import type { Disk } from './disk.ts'
import { displace, renameOver } from './displace.ts'
import { clearDraft, type Draft, pathOfDescriptor } from './drafts.ts'
import { entryOf } from './entry.ts'
import { forgetHalfWritten, type HalfWritten, noteHalfWritten } from './half-written.ts'
import { DraftNeeded, exclusively, overwriteInPlace, reserveSpace } from './in-place.ts'
import { keepCopy } from './keep-copy.ts'
import { renameToFree } from './renaming.ts'
import { targetAt } from './repairing.ts'
import { syncFolder } from './sync.ts'
import { isSame, statAt, type Target } from './target.ts'
import { lockForWriting } from './write-lock.ts'

/** A finished draft that is open. */
interface FinishedDraft extends Draft {
  folder: number
  fd: number
}

/** Asked at the beginning, and again in the step that makes the change. */
export function requireWritable(disk: Disk, place: Target, { precondition }: WriteOptions): Stat | undefined {
  const there = statAt(disk.kernel, place)
  if (there === undefined) {
    if (precondition !== 'absent' && precondition !== 'any') throw new Failure('not-found', 'There is no such file')
  } else {
    if (precondition === 'absent') throw new Failure('already-exists', 'This name is taken')
    if (isLink(there.mode)) throw new LinkInTheWay()
    if (isFolder(there.mode)) throw new Failure('already-exists', 'A folder has this name')
    if (!isFile(there.mode) || disk.ownFiles.is(there)) throw new Failure('forbidden', 'This cannot be written')
    // A rename would not mind, but a file that is closed to us is meant to stay as it is.
    if (!disk.kernel.isWritableFile(place.folder, place.name)) throw new Errno('EACCES', 'faccessat')
  }
  requireVersion(precondition, there && entryOf(place.name, there))
  return there
}

/** The bytes have been read by now: following a link that turned up meanwhile would write nothing into its target. */
export function requireStillWritable(disk: Disk, place: Target, options: WriteOptions): Stat | undefined {
  try {
    return requireWritable(disk, place, options)
  } catch (error) {
    if (!(error instanceof LinkInTheWay)) throw error
    throw new Failure('changed-meanwhile', 'The file was replaced by a link meanwhile')
  }
}

/** Puts a finished draft where it belongs: by rename, or by overwriting where a rename is not possible. */
export async function publishDraft(
  disk: Disk,
  place: Target,
  draft: FinishedDraft,
  options: WriteOptions,
): Promise<Stat> {
  const { there, isPublished } = await publishByRename(disk, place, draft, options)
  if (!isPublished) {
    const overwritten = there && (await overwriteTarget(disk, place, draft, there, options))
    return overwritten ?? publishDraft(disk, place, draft, options)
  }
  await syncFolder(disk.kernel, place.folder)
  if (there !== undefined) await dropOlder(disk, forgetHalfWritten(there))
  return disk.kernel.statOpen(draft.fd)
}

async function publishByRename(disk: Disk, place: Target, draft: FinishedDraft, options: WriteOptions) {
  const lock = typeof options.precondition === 'string' ? undefined : await lockVersion(disk.kernel, place)
  try {
    // From the last check to the rename there is no pause in which another request could come.
    const there = requireStillWritable(disk, place, options)
    const isPublished =
      there === undefined ? renameToFreeName(disk, place, draft, options) : replaceByRename(disk, place, draft, there)
    return { there, isPublished }
  } finally {
    if (lock !== undefined) disk.kernel.close(lock)
  }
}

/**
 * Another server or process may replace the same version between the check and the rename. The one that replaces a version
 * holds the lock of its file meanwhile; one that has waited for the lock finds another file, and so another version.
 */
async function lockVersion(kernel: Kernel, { folder, name }: Target): Promise<number | undefined> {
  let fd: number
  try {
    fd = kernel.open(folder, name, O.WRONLY | O.NOFOLLOW | O.NONBLOCK)
  } catch {
    // The check that follows says why.
    return undefined
  }
  try {
    await lockForWriting(fd)
    return fd
  } catch (error) {
    kernel.close(fd)
    throw error
  }
}

/** False when another program took the name at this very moment and may be replaced. */
function renameToFreeName(
  { kernel }: Disk,
  place: Target,
  draft: FinishedDraft,
  { precondition }: WriteOptions,
): boolean {
  try {
    renameToFree(kernel, draft, place)
    return true
  } catch (error) {
    if (precondition === 'any' && codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** False where the file cannot be replaced that way. */
function replaceByRename(disk: Disk, place: Target, draft: FinishedDraft, there: Stat): boolean {
  // Its other names must see the change too; and a draft from elsewhere cannot be renamed to here.
  if (there.links > 1 || draft.folder !== place.folder) return false
  // A file that is a mount point of its own, or one in a folder with the sticky bit.
  const refusals = ['EBUSY', 'EXDEV', 'EPERM', 'EACCES']
  return succeeds(refusals, () => renameOver(disk, draft, place, there))
}

/** Undefined when something else has the name by now. */
function overwriteTarget(
  disk: Disk,
  place: Target,
  draft: FinishedDraft,
  there: Stat,
  options: WriteOptions,
): Promise<Stat | undefined> {
  const { kernel } = disk
  return exclusively(there, async () => {
    if (!isSame(there, requireStillWritable(disk, place, options))) return undefined
    const target = kernel.open(place.folder, place.name, O.WRONLY | O.NOFOLLOW | O.NONBLOCK)
    try {
      await lockForWriting(target)
      return await overwriteOpenTarget(disk, place, draft, target, options)
    } finally {
      kernel.close(target)
    }
  })
}

async function overwriteOpenTarget(
  disk: Disk,
  place: Target,
  draft: FinishedDraft,
  target: number,
  options: WriteOptions,
): Promise<Stat | undefined> {
  const { kernel, ledger } = disk
  const before = kernel.statOpen(target)
  requireVersion(options.precondition, entryOf(place.name, before))
  // Most file systems count it as a change of the file, so it comes before anything is noted; the version is a new one then.
  await reserveSpace(kernel, draft.fd, target)
  const reserved = entryOf(place.name, kernel.statOpen(target)).version
  const precondition = typeof options.precondition === 'string' ? options.precondition : [reserved]
  const left = {
    draft: draft.place,
    isKept: false,
    target: targetAt(kernel, target, `${pathOfDescriptor(place.folder)}/${place.name}`),
  }
  const earlier = await ledger.overwriting(left.draft, left.target)
  const overwritten = { folder: place.folder, name: place.name, stat: before, by: 'overwritten' } as const
  const copy = await keepCopy(disk, overwritten)
  try {
    if (!isSame(before, requireStillWritable(disk, place, { ...options, precondition }))) {
      copy?.drop()
      return undefined
    }
    makeLater(kernel, draft.fd, before)
    await displace(disk, overwritten, () => overwriteInPlace(kernel, draft.fd, target))
    copy?.done()
  } catch (error) {
    if (!(error instanceof DraftNeeded)) {
      copy?.drop()
      throw error
    }
    copy?.done()
    const known = forgetHalfWritten(before)
    noteHalfWritten(before, { draft: left.draft, repair: () => clearDraft(kernel, ledger, left) })
    await dropOlder(disk, known, earlier)
    throw error
  }
  await dropOlder(disk, forgetHalfWritten(before), earlier)
  return kernel.statOpen(target)
}

/**
 * Two versions of one file with the same size and time could not be told apart. Where the sender's time is
 * that of the version before, to the millisecond, some nanoseconds are added to it.
 */
function makeLater(kernel: Kernel, draft: number, before: Stat): void {
  const { seconds, nanoseconds } = kernel.statOpen(draft)
  const isSameTime = seconds === before.seconds && millisecondOf(nanoseconds) === millisecondOf(before.nanoseconds)
  if (isSameTime && millisecondOf(before.nanoseconds + 1) === millisecondOf(nanoseconds))
    succeeds(['EPERM', 'EACCES'], () => kernel.setTimes(draft, seconds, before.nanoseconds + 1))
}

const millisecondOf = (nanoseconds: number): number => Math.floor(nanoseconds / 1_000_000)

/**
 * A later version has come: an earlier one that broke must not be written over it. Not by another node either, which waits for
 * the lock of the file to mend it: it finds no draft.
 */
async function dropOlder(
  { kernel, ledger }: Disk,
  known: HalfWritten | undefined,
  earlier: readonly string[] = [],
): Promise<void> {
  for (const draft of new Set([...(known === undefined ? [] : [known.draft]), ...earlier]))
    await clearDraft(kernel, ledger, { draft, isKept: false, target: null })
}
