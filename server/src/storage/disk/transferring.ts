import type { Cancellation } from '../../concurrency/cancellation.ts'
import { Failure, isFailure } from '../../failure.ts'
import { succeeds, toFailure, tolerating } from '../linux/errno.ts'
import { type FolderItem, type Kernel, O, type Stat } from '../linux/kernel.ts'
import { isFile, isFolder, isLink } from '../linux/modes.ts'
import { LinkInTheWay, type RemoveOptions } from '../port.ts'
import { requireOnly } from '../version.ts'
import { type CopyTask, copyContent, copyTree } from './copying.ts'
import type { Disk } from './disk.ts'
import { displace, dropFolder, dropName, moveName } from './displace.ts'
import { type DraftLedger, withDraft } from './drafts.ts'
import { entryOf } from './entry.ts'
import { mergeTree, renameAside, requireMergeable } from './merging.ts'
import { CannotHide, withHiddenSource } from './moving-sources.ts'
import { notThere } from './opening.ts'
import { isHeld } from './parents.ts'
import { removeTree, requireRemovable } from './removing.ts'
import { renameToFree } from './renaming.ts'
import { sync } from './sync.ts'
import { isSame, type NameAt, statAt, type Target } from './target.ts'
import { isDraft, isTransient } from './trees.ts'
import { putFile } from './writing.ts'

export async function move(disk: Disk, source: Target, target: Target, replace: boolean): Promise<void> {
  const { kernel } = disk
  if (isSameName(kernel, source, target)) return
  const moved = kernel.stat(source.folder, source.name)
  const isOneEntry = isSame(moved, statAt(kernel, target))
  if (isOneEntry && isOtherSpelling(source, target, moved)) {
    moveName(kernel, source, target)
  } else if (!replace) {
    renameToFree(kernel, source, target)
  } else if (isOneEntry) {
    // Two names of one file: renaming one onto the other would leave both.
    dropName(kernel, source)
  } else {
    await requireMergeable(disk, source, target, { isMove: true })
    await mergeTree(disk, source, target)
  }
  await sync(kernel, target.folder)
  await sync(kernel, source.folder)
}

/** To another file system: out of sight, then a copy, and only when that is safe the original goes. */
export async function moveAcross(disk: Disk, source: Target, target: Target, replace: boolean, task: CopyTask) {
  const { kernel } = disk
  if (replace) await requireMergeable(disk, source, target, { isMove: false })
  else requireFree(kernel, target)
  if (isFolder(kernel.stat(source.folder, source.name).mode)) await requireRemovable(kernel, source)
  const copied = copiedSince(kernel)
  const copyThenRemove = async (spot: NameAt, arrived: () => Promise<void>) => {
    copied.begin(kernel.stat(spot.folder, spot.name))
    await copyAsDraft(disk, spot, target, replace, { ...task, isMove: true, copied: copied.add })
    await arrived()
    await removeTree(kernel, spot.folder, spot.name, { keeps: copied.lacks })
    await sync(kernel, spot.folder)
  }
  try {
    await withHiddenSource(kernel, disk.moves, source, ({ at, arrived }) =>
      copyThenRemove(at, () => arrived(copied.since).catch(() => {})),
    )
  } catch (error) {
    if (!(error instanceof CannotHide)) throw error
    // A folder in the lower layer of an overlay cannot be renamed. Its parts are visible while they go.
    await copyThenRemove(source, async () => {})
  }
}

/**
 * Knows what was copied as it is now: whatever was written after that, by a request that had the folder open already, is
 * not in the copy and must stay. Only what changed lately has to be noted, because all else tells by its own time.
 */
function copiedSince(kernel: Kernel) {
  const files = new Map<number, number>()
  const folders = new Set<number>()
  /** Files with several names, of which one is gone: that was a change as well, but one of this move. */
  const unlinked = new Map<number, string>()
  const contentOf = ({ size, seconds, nanoseconds }: Stat) => [size, seconds, nanoseconds].join()
  const copied = {
    since: 0,
    begin(source: Stat): void {
      // Its own last change is the renaming just now, by the clock of its disk; that of the process is asked where disks tell no such time.
      copied.since = Math.min(source.changed, Date.now()) - clockSlack
    },
    add({ mode, inode, changed }: Stat): void {
      if (isFolder(mode)) folders.add(inode)
      else if (changed >= copied.since) files.set(inode, changed)
    },
    lacks(item: FolderItem, folder: number): boolean {
      const { mode, inode, changed } = item.stat
      if (isTransient(item)) return isHeld(kernel.statOpen(folder))
      if (isDraft(item)) return false
      if (isFolder(mode)) return changed >= copied.since && !folders.has(inode)
      const isSame =
        changed < copied.since || files.get(inode) === changed || unlinked.get(inode) === contentOf(item.stat)
      if (isSame && item.stat.links > 1) unlinked.set(inode, contentOf(item.stat))
      return !isSame
    },
  }
  return copied
}

/** In milliseconds; some file systems count in steps of two seconds. */
const clockSlack = 10_000

/** A copy appears in one step; only a merge into a folder takes one step for each file. */
export async function copy(
  disk: Disk,
  source: Target,
  target: Target,
  replace: boolean,
  task: CopyTask,
): Promise<void> {
  const { kernel } = disk
  task.signal?.throwIfAborted()
  const stat = kernel.stat(source.folder, source.name)
  if (isLink(stat.mode)) throw new LinkInTheWay()
  if (!isFile(stat.mode) && !isFolder(stat.mode)) throw new Failure('invalid', 'this is not a regular file')
  if (!replace) requireFree(kernel, target)
  else if (isSameName(kernel, source, target)) return
  else await requireMergeable(disk, source, target, { isMove: false })

  // A link in its place gives way like a file, but is no file that one could write into.
  const isPlain = isFile(stat.mode) && !isLink(statAt(kernel, target)?.mode ?? 0)
  if (!isPlain) return copyAsDraft(disk, source, target, replace, task)
  const fd = kernel.open(source.folder, source.name, O.RDONLY | O.NOFOLLOW | O.NONBLOCK)
  try {
    const content = {
      fill: (draft: number) => copyContent(task, fd, draft),
      template: { fd, stat: kernel.statOpen(fd) },
    }
    await putFile(disk, target, content, { precondition: replace ? 'any' : 'absent' })
  } finally {
    kernel.close(fd)
  }
}

export async function remove(disk: Disk, place: Target, { signal, only }: RemoveOptions): Promise<void> {
  const { kernel } = disk
  const { folder, name } = place
  const stat = kernel.stat(folder, name)
  signal?.throwIfAborted()
  requireOnly(only, isFolder(stat.mode), () => entryOf(name, stat).version)
  const displaced = { folder, name, stat, by: 'removed' } as const
  if (only === 'empty') displace(disk, displaced, () => dropFolder(kernel, place))
  else if (isFolder(stat.mode)) {
    await requireRemovable(kernel, place, signal)
    await displace(disk, displaced, () => removeFolder(disk, place, signal))
  } else displace(disk, displaced, () => dropName(kernel, place))
  await sync(kernel, folder)
}

/** The server's own files stay where they are, and so does every folder that holds one. */
export function requireMovable({ kernel, ownFiles }: Disk, place: Target): void {
  const stat = kernel.stat(place.folder, place.name)
  if (ownFiles.is(stat)) throw notThere()
  if (ownFiles.holds(stat)) throw new Failure('forbidden', 'The folder holds files of the server itself')
}

/** It may be copied, but what takes its place would be found in place of the server's own file. */
export function requireFreeToGo({ kernel, ownFiles }: Disk, place: Target): void {
  if (ownFiles.keeps(kernel.stat(place.folder, place.name)))
    throw new Failure('forbidden', 'The server itself needs it where it is')
}

async function copyAsDraft(
  disk: Disk,
  source: NameAt,
  target: Target,
  replace: boolean,
  task: CopyTask,
): Promise<void> {
  const { kernel, ledger } = disk
  await withDraft(kernel, ledger, target.folder, async (draft) => {
    const copied = { ...draft, folder: target.folder }
    await copyTree(task, source, copied)
    if (replace) await mergeTree(disk, copied, target, { force: true })
    else renameToFree(kernel, copied, target)
    await sync(kernel, target.folder)
  })
}

/** Hidden in one step, then removed name by name. A removal that ends early shows what is left of the folder again. */
async function removeFolder({ kernel, ledger }: Disk, place: Target, signal?: Cancellation): Promise<void> {
  await withDraft(kernel, noted(ledger), place.folder, async (draft) => {
    const isHidden = succeeds(['EXDEV'], () => moveName(kernel, place, { folder: place.folder, name: draft.name }))
    const gone = { count: 0 }
    try {
      // An overlay cannot rename a folder of its lower layer; that one is visible while it goes.
      await removeTree(kernel, place.folder, isHidden ? draft.name : place.name, { gone, signal })
    } catch (error) {
      // What could not be removed must not stay hidden: it comes back under its name, or one like it.
      if (isHidden) tolerating(['ENOENT'], () => renameAside(kernel, { ...draft, folder: place.folder }, place))
      throw gone.count > 0 ? partlyDone(error) : error
    }
  })
}

/** Deleting is how room is made on a full disk: it goes on when the ledger, which has to be on some disk, is refused. */
const noted = (ledger: DraftLedger): DraftLedger => ({
  ...ledger,
  begin: (draft) =>
    ledger.begin(draft).catch((error: unknown) => {
      if (!isFailure(error, 'no-space') && !isFailure(error, 'unavailable')) throw error
    }),
})

function partlyDone(error: unknown): unknown {
  const failure = toFailure(error)
  if (!(failure instanceof Failure)) return error
  return new Failure(failure.code, `Only a part was removed; the rest is still there. ${failure.message}`, {
    cause: error,
  })
}

const isSameName = (kernel: Kernel, a: Target, b: Target): boolean =>
  a.name === b.name && isSame(kernel.statOpen(a.folder), kernel.statOpen(b.folder))

/** On a file system that does not mind the case or the accents' encoding, 'a.txt' and 'A.TXT' are one entry. */
const isOtherSpelling = (a: Target, b: Target, { mode, links }: Stat): boolean =>
  isFolder(mode) || links === 1 || plain(a.name) === plain(b.name)

const plain = (name: string): string => name.normalize('NFKD').toLowerCase()

function requireFree(kernel: Kernel, place: Target): void {
  if (statAt(kernel, place) !== undefined) throw new Failure('already-exists', 'This name is taken')
}
