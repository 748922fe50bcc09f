import type { Cancellation } from '../../concurrency/cancellation.ts'
import { Failure, ignoring } from '../../failure.ts'
import { succeeds, toFailure, tolerating } from '../linux/errno.ts'
import { type Kernel, O, type Stat } from '../linux/kernel.ts'
import { isFile, isFolder, isLink } from '../linux/modes.ts'
import { meterFor } from '../meter.ts'
import { LinkInTheWay, type RemoveOptions } from '../port.ts'
import type { Progress, TransferOptions } from '../transfer-options.ts'
import { requireOnly } from '../version.ts'
import { copiedSince } from './copied-since.ts'
import { type CopyTask, copyContent, copyTree } from './copying.ts'
import type { Disk } from './disk.ts'
import { displace, dropFolder, dropName, moveName } from './displace.ts'
import { type DraftLedger, withDraft } from './drafts.ts'
import { entryOf } from './entry.ts'
import { copiedFrom, mergeTree, type Origin, renameAside, requireMergeable } from './merging.ts'
import { withHiddenSource } from './moving-sources.ts'
import { notThere } from './opening.ts'
import { type Removal, removeTree, requireRemovable } from './removing.ts'
import { renameToFree } from './renaming.ts'
import { sync } from './sync.ts'
import { isSame, type NameAt, statAt, type Target } from './target.ts'
import { putFile } from './writing.ts'

export async function move(
  disk: Disk,
  source: Target,
  target: Target,
  { replace, taken }: TransferOptions,
  origin?: Origin,
): Promise<void> {
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
    await requireMergeable(disk, source, target, { isMove: true, taken })
    await mergeTree(disk, source, target, { taken, comparesBytes: true, origin })
  }
  await sync(kernel, target.folder)
  await sync(kernel, source.folder)
}

/** To another file system: out of sight, then a copy, and only when that is safe the original goes. */
export async function moveAcross(
  disk: Disk,
  source: Target,
  target: Target,
  { replace }: TransferOptions,
  task: CopyTask,
  origin?: Origin,
): Promise<void> {
  const { kernel } = disk
  if (replace) await requireMergeable(disk, source, target, { isMove: false })
  else requireFree(kernel, target)
  if (isFolder(kernel.stat(source.folder, source.name).mode)) await requireRemovable(disk, source)
  const copied = copiedSince(kernel)
  await copyThenRemove(disk, source, copied, (at) =>
    copyAsDraft(disk, at, target, replace, { ...task, isMove: true, copied: copied.add }, copiedFrom(origin)),
  )
}

/** The original is out of sight meanwhile, and goes but for what has changed since it was copied. */
export const copyThenRemove = (
  disk: Disk,
  source: Target,
  copied: ReturnType<typeof copiedSince>,
  copyFrom: (at: NameAt) => Promise<void>,
): Promise<void> =>
  withHiddenSource(disk, source, async ({ at, arrived }) => {
    const { kernel } = disk
    copied.begin(kernel.stat(at.folder, at.name))
    await copyFrom(at)
    await arrived(copied.since)
    await removeTree(kernel, at.folder, at.name, { keeps: copied.lacks })
    await sync(kernel, at.folder)
  })

/** A copy appears in one step; only a merge into a folder takes one step for each file. */
export async function copy(
  disk: Disk,
  source: Target,
  target: Target,
  { replace }: TransferOptions,
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
    const metered = task.meter?.file('')
    const content = {
      fill: (draft: number) => copyContent(task, fd, draft, { metered }),
      template: { fd, stat: kernel.statOpen(fd) },
    }
    await putFile(disk, target, content, { precondition: replace ? 'any' : 'absent' })
    metered?.end(stat.size)
    task.meter?.end()
  } finally {
    kernel.close(fd)
  }
}

export async function remove(disk: Disk, place: Target, { signal, only, progress }: RemoveOptions): Promise<void> {
  const { kernel } = disk
  const { folder, name } = place
  const stat = kernel.stat(folder, name)
  signal?.throwIfAborted()
  requireOnly(only, isFolder(stat.mode), () => entryOf(name, stat).version)
  const displaced = { folder, name, stat, by: 'removed' } as const
  if (only === 'empty') displace(disk, displaced, () => dropFolder(kernel, place))
  else if (isFolder(stat.mode)) {
    await requireRemovable(disk, place, signal)
    await displace(disk, displaced, () => removeFolder(disk, place, signal, progress))
  } else displace(disk, displaced, () => dropName(kernel, place))
  if (!isFolder(stat.mode)) progress?.({ files: 1, bytes: stat.size, current: '' })
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
  origin?: Origin,
): Promise<void> {
  const { kernel, ledger } = disk
  await withDraft(kernel, ledger, target.folder, async (draft) => {
    const copied = { ...draft, folder: target.folder }
    await copyTree(task, source, copied)
    if (replace) await mergeTree(disk, copied, target, { force: true, origin })
    else renameToFree(kernel, copied, target)
    await sync(kernel, target.folder)
  })
}

/** Hidden in one step, then removed name by name. A removal that ends early shows what is left of the folder again. */
export async function removeFolder(
  { kernel, ledger }: Pick<Disk, 'kernel' | 'ledger'>,
  place: NameAt,
  signal?: Cancellation,
  progress?: Progress,
  removal: Pick<Removal, 'force' | 'keeps'> = {},
): Promise<void> {
  await withDraft(kernel, noted(ledger), place.folder, async (draft) => {
    const isHidden = succeeds(['EXDEV'], () => moveName(kernel, place, { folder: place.folder, name: draft.name }))
    const gone = { count: 0 }
    const meter = progress && meterFor(progress)
    try {
      // An overlay cannot rename a folder of its lower layer; that one is visible while it goes.
      const name = isHidden ? draft.name : place.name
      const isGone = await removeTree(kernel, place.folder, name, { ...removal, gone, signal, meter })
      if (!isGone) throw new Failure('forbidden', 'Something in it has to stay')
      meter?.end()
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
  begin: (draft) => ledger.begin(draft).catch(ignoring('no-space', 'unavailable')),
})

function partlyDone(error: unknown): unknown {
  const failure = toFailure(error)
  if (!(failure instanceof Failure)) return error
  return new Failure(failure.code, `Only a part was removed; the rest is still there. ${failure.message}`, {
    cause: error,
  })
}

export const isSameName = (kernel: Kernel, a: Target, b: Target): boolean =>
  a.name === b.name && isSame(kernel.statOpen(a.folder), kernel.statOpen(b.folder))

/** On a file system that does not mind the case or the accents' encoding, 'a.txt' and 'A.TXT' are one entry. */
const isOtherSpelling = (a: Target, b: Target, { mode, links }: Stat): boolean =>
  isFolder(mode) || links === 1 || plain(a.name) === plain(b.name)

const plain = (name: string): string => name.normalize('NFKD').toLowerCase()

export function requireFree(kernel: Kernel, place: Target): void {
  if (statAt(kernel, place) !== undefined) throw new Failure('already-exists', 'This name is taken')
}
