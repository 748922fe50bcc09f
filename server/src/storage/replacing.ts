import { Failure } from '../failure.ts'
import type { Disk } from './disk.ts'
import { clearDraft, type Draft, placeOf } from './drafts.ts'
import { codeOf, Errno, succeeds } from './errno.ts'
import { O, type Stat } from './kernel.ts'
import { isFile, isFolder, isLink } from './modes.ts'
import { type Place, statAt } from './place.ts'
import { alone, DraftNeeded, pour } from './pouring.ts'
import { entryOf } from './reading.ts'
import { renameToFree } from './renaming.ts'
import { LinkInTheWay, type WriteOptions } from './storage.ts'
import { sync } from './sync.ts'

/** A finished draft that is open. */
interface FinishedDraft extends Draft {
  folder: number
  fd: number
}

/** Asked at the beginning, and again in the step that makes the change. */
export function requireWritable(disk: Disk, place: Place, { mode, accept }: WriteOptions): Stat | undefined {
  const there = statAt(disk.kernel, place)
  if (there === undefined) {
    if (mode === 'existing') throw new Failure('not-found', 'There is no such file')
  } else {
    if (mode === 'new') throw new Failure('already-exists', 'This name is taken')
    if (isLink(there.mode)) throw new LinkInTheWay()
    if (isFolder(there.mode)) throw new Failure('already-exists', 'A folder has this name')
    if (!isFile(there.mode) || disk.ours.is(there)) throw new Failure('forbidden', 'This cannot be written')
    // A rename would not mind, but a file that is closed to us is meant to stay as it is.
    if (!disk.kernel.isWritableFile(place.folder, place.name)) throw new Errno('EACCES', 'faccessat')
  }
  accept?.(there && entryOf(place.name, there))
  return there
}

/** The bytes have been read by now: following a link that turned up meanwhile would write nothing into its target. */
export function requireStillWritable(disk: Disk, place: Place, options: WriteOptions): Stat | undefined {
  try {
    return requireWritable(disk, place, options)
  } catch (error) {
    if (!(error instanceof LinkInTheWay)) throw error
    throw new Failure('changed-meanwhile', 'The file was replaced by a link meanwhile')
  }
}

/** Puts a finished draft where it belongs: by rename, or by pouring where a rename is not possible. */
export async function settle(disk: Disk, place: Place, draft: FinishedDraft, options: WriteOptions): Promise<Stat> {
  // From the last check to the rename there is no pause in which another request could come.
  const there = requireStillWritable(disk, place, options)
  if (there === undefined) {
    if (!takeFreeName(disk, place, draft, options)) return settle(disk, place, draft, options)
  } else if (!takeName(disk, place, draft, there)) {
    return pourInto(disk, place, draft, there, options)
  }
  await sync(disk.kernel, place.folder)
  if (there !== undefined) await forgetBroken(disk, there)
  return disk.kernel.statOpen(draft.fd)
}

/** False when another program took the name at this very moment and may be replaced. */
function takeFreeName({ kernel }: Disk, place: Place, draft: FinishedDraft, { mode }: WriteOptions): boolean {
  try {
    renameToFree(kernel, draft, place)
    return true
  } catch (error) {
    if (mode === 'replace' && codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** False where the file cannot be replaced that way. */
function takeName({ kernel }: Disk, place: Place, draft: FinishedDraft, there: Stat): boolean {
  // Its other names must see the change too; and a draft from elsewhere cannot be renamed to here.
  if (there.links > 1 || draft.folder !== place.folder) return false
  // A file that is a mount point of its own, or one in a folder with the sticky bit.
  const refusals = ['EBUSY', 'EXDEV', 'EPERM', 'EACCES']
  return succeeds(refusals, () => kernel.rename(draft.folder, draft.name, place.folder, place.name))
}

function pourInto(disk: Disk, place: Place, draft: FinishedDraft, there: Stat, options: WriteOptions): Promise<Stat> {
  const { kernel, ledger } = disk
  return alone(there, async () => {
    await ledger.pouring(draft.place, `${placeOf(place.folder)}/${place.name}`)
    requireStillWritable(disk, place, options)
    const target = kernel.open(place.folder, place.name, O.WRONLY | O.NOFOLLOW | O.NONBLOCK)
    try {
      await pour(kernel, draft.fd, target)
      await forgetBroken(disk, there)
      return kernel.statOpen(target)
    } catch (error) {
      if (error instanceof DraftNeeded) await forgetBroken(disk, there, draft.place)
      throw error
    } finally {
      kernel.close(target)
    }
  })
}

/** Drafts that wait for the next start, by the file they shall mend. */
const broken = new Map<string, string>()

/** A later version has come: an earlier one that broke must not be poured over it at the next start. */
async function forgetBroken({ kernel, ledger }: Disk, { device, inode }: Stat, later?: string): Promise<void> {
  const key = `${device}:${inode}`
  const draft = broken.get(key)
  if (later === undefined) broken.delete(key)
  else broken.set(key, later)
  if (draft !== undefined) await clearDraft(kernel, ledger, { draft, target: null })
}
