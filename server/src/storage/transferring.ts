import { Failure } from '../failure.ts'
import { type CopyJob, copyContent, copyTree } from './copying.ts'
import type { Disk } from './disk.ts'
import { withDraft } from './drafts.ts'
import { succeeds, unless } from './errno.ts'
import { type Kernel, O, type Stat } from './kernel.ts'
import { isFile, isFolder, isLink } from './modes.ts'
import { notThere } from './opening.ts'
import { isSame, type Place, statAt } from './place.ts'
import { renameToFree } from './renaming.ts'
import { LinkInTheWay } from './storage.ts'
import { sync } from './sync.ts'
import { mergeTree, removeTree, requireMergeable } from './trees.ts'
import { putFile } from './writing.ts'

export async function move(disk: Disk, source: Place, target: Place, replace: boolean): Promise<void> {
  const { kernel } = disk
  if (isSameSpot(kernel, source, target)) return
  const moved = kernel.stat(source.folder, source.name)
  const isOneEntry = isSame(moved, statAt(kernel, target))
  if (isOneEntry && isOtherSpelling(source, target, moved)) {
    kernel.rename(source.folder, source.name, target.folder, target.name)
  } else if (!replace) {
    renameToFree(kernel, source, target)
  } else if (isOneEntry) {
    // Two names of one file: renaming one onto the other would leave both.
    kernel.unlink(source.folder, source.name)
  } else {
    await requireMergeable(disk, source, target)
    await mergeTree(kernel, source, target)
  }
  await sync(kernel, target.folder)
  await sync(kernel, source.folder)
}

/** To another file system: a copy first, and only when it is safe the original goes. */
export async function moveAcross(disk: Disk, source: Place, target: Place, replace: boolean, job: CopyJob) {
  if (replace) await requireMergeable(disk, source, target)
  await copyAsDraft(disk, source, target, replace, { ...job, isMove: true })
  await remove(disk, source)
}

/** A copy appears in one step; only a merge into a folder takes one step for each file. */
export async function copy(disk: Disk, source: Place, target: Place, replace: boolean, job: CopyJob): Promise<void> {
  const { kernel } = disk
  job.signal?.throwIfAborted()
  const stat = kernel.stat(source.folder, source.name)
  if (isLink(stat.mode)) throw new LinkInTheWay()
  if (!isFile(stat.mode) && !isFolder(stat.mode)) throw new Failure('invalid', 'this is not a regular file')
  if (!replace) requireFree(kernel, target)
  else if (isSameSpot(kernel, source, target)) return
  else await requireMergeable(disk, source, target)

  // A link in its place gives way like a file, but is no file that one could write into.
  const isPlain = isFile(stat.mode) && !isLink(statAt(kernel, target)?.mode ?? 0)
  if (!isPlain) return copyAsDraft(disk, source, target, replace, job)
  const fd = kernel.open(source.folder, source.name, O.RDONLY | O.NOFOLLOW | O.NONBLOCK)
  try {
    const content = {
      fill: (draft: number) => copyContent(job, fd, draft),
      likeness: { fd, stat: kernel.statOpen(fd) },
    }
    await putFile(disk, target, content, { mode: replace ? 'replace' : 'new' })
  } finally {
    kernel.close(fd)
  }
}

export async function remove(disk: Disk, place: Place): Promise<void> {
  const { kernel } = disk
  if (isFolder(kernel.stat(place.folder, place.name).mode)) await removeFolder(disk, place)
  else kernel.unlink(place.folder, place.name)
  await sync(kernel, place.folder)
}

/** What is ours stays where it is, and so does every folder that holds it. */
export function requireMovable({ kernel, ours }: Disk, place: Place): void {
  const stat = kernel.stat(place.folder, place.name)
  if (ours.is(stat)) throw notThere()
  if (ours.holds(stat)) throw new Failure('forbidden', 'The folder holds files of the server itself')
}

/** It may be copied, but what takes its place would be found by those who look for what is ours. */
export function requireFreeToGo({ kernel, ours }: Disk, place: Place): void {
  if (ours.keeps(kernel.stat(place.folder, place.name)))
    throw new Failure('forbidden', 'The server itself needs it where it is')
}

async function copyAsDraft(disk: Disk, source: Place, target: Place, replace: boolean, job: CopyJob): Promise<void> {
  const { kernel, ledger } = disk
  await withDraft(kernel, ledger, target.folder, async (draft) => {
    const copied = { ...draft, folder: target.folder }
    await copyTree(job, source, copied)
    if (replace) await mergeTree(kernel, copied, target, { force: true })
    else renameToFree(kernel, copied, target)
    await sync(kernel, target.folder)
  })
}

/** Out of sight in one step, then piece by piece: nobody ever meets half a folder. */
async function removeFolder({ kernel, ledger }: Disk, place: Place): Promise<void> {
  await withDraft(kernel, ledger, place.folder, async (draft) => {
    const isHidden = succeeds(['EXDEV'], () => kernel.rename(place.folder, place.name, place.folder, draft.name))
    // An overlay cannot rename a folder of its lower layer; that one goes before everybody's eyes.
    if (!isHidden) return removeTree(kernel, place.folder, place.name)
    try {
      await removeTree(kernel, place.folder, draft.name)
    } catch (error) {
      // What could not be removed must not stay hidden: it comes back under its name.
      unless(['EEXIST', 'ENOENT'], () => renameToFree(kernel, { ...draft, folder: place.folder }, place))
      throw error
    }
  })
}

const isSameSpot = (kernel: Kernel, a: Place, b: Place): boolean =>
  a.name === b.name && isSame(kernel.statOpen(a.folder), kernel.statOpen(b.folder))

/** On a file system that does not mind the case or the accents' encoding, 'a.txt' and 'A.TXT' are one entry. */
const isOtherSpelling = (a: Place, b: Place, { mode, links }: Stat): boolean =>
  isFolder(mode) || links === 1 || plain(a.name) === plain(b.name)

const plain = (name: string): string => name.normalize('NFKD').toLowerCase()

function requireFree(kernel: Kernel, place: Place): void {
  if (statAt(kernel, place) !== undefined) throw new Failure('already-exists', 'This name is taken')
}
