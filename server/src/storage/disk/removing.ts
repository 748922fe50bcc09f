import { chmodSync } from 'node:fs'
import type { Cancellation } from '../../concurrency/cancellation.ts'
import { Failure } from '../../failure.ts'
import { codeOf, succeeds } from '../linux/errno.ts'
import { type FolderItem, type Kernel, type Name, O, type Stat } from '../linux/kernel.ts'
import { isFolder } from '../linux/modes.ts'
import type { Meter } from '../meter.ts'
import { draftPrefix, isHiddenSource } from '../path.ts'
import type { Disk } from './disk.ts'
import { dropFolder, dropName, moveName } from './displace.ts'
import type { NameAt } from './target.ts'
import { exactName, isDraft, walkTree } from './trees.ts'

/** What it depends on whether a name can be taken out of a folder. */
export interface Surroundings {
  readonly isWritable: boolean
  readonly folder: Stat
}

export const surroundingsOf = (kernel: Kernel, folder: number): Surroundings => ({
  isWritable: kernel.isWritable(folder),
  folder: kernel.statOpen(folder),
})

const stickyBit = 0o1000
/** Attributes of statx: may not be changed; may only grow; something is mounted there. */
const [immutable, appendOnly, mountRoot] = [0x10, 0x20, 0x2000]

/** Refuses what the system would not let go, as far as one can tell without trying. */
export function requireUnlocked(
  { isWritable, folder }: Surroundings,
  { name, stat }: { name: string; stat: Pick<Stat, 'uid' | 'attributes'> },
) {
  const user = process.geteuid?.() ?? 0
  const isOthers = (folder.mode & stickyBit) !== 0 && user !== 0 && user !== folder.uid && user !== stat.uid
  const isLocked = ((stat.attributes | (folder.attributes & ~mountRoot)) & (immutable | appendOnly | mountRoot)) !== 0
  if (!isWritable || isOthers || isLocked)
    throw new Failure('forbidden', `${JSON.stringify(name)} cannot be taken out of its folder, so nothing was changed`)
}

/**
 * The same for what goes with its folder. What is hidden there while it is moved to another disk was not meant, so it stays;
 * where the process that hid it is dead, it comes back now. No time tells which it is: to a clock that is set, every move is old.
 */
export function requireFreeToLeave(
  { orphans }: Pick<Disk, 'orphans'>,
  folder: number,
  around: Surroundings,
  item: FolderItem,
): void {
  if (isHiddenSource(item.name)) {
    orphans?.sawAmong(folder, [item])
    throw new Failure('locked', 'Something in the folder is being moved to another disk')
  }
  requireUnlocked(around, item)
}

/** Asked before the first name goes: a removal that is refused has removed nothing. */
export function requireRemovable(
  disk: Pick<Disk, 'kernel' | 'orphans'>,
  spot: NameAt,
  signal?: Cancellation,
): Promise<void> {
  const requireItem = (folder: number, item: FolderItem, level: { around?: Surroundings }) => {
    signal?.throwIfAborted()
    level.around ??= surroundingsOf(disk.kernel, folder)
    requireFreeToLeave(disk, folder, level.around, item)
  }
  return walkTree<{ around?: Surroundings }>(
    disk.kernel,
    spot,
    {},
    {
      file: requireItem,
      below(folder, item, level) {
        requireItem(folder, item, level)
        return {}
      },
    },
  )
}

export interface Removal {
  /** Opens up folders that are closed to us; for trees of the server's own making. */
  force?: boolean | undefined
  /** Must this stay? A folder that something stays in stays as well. */
  keeps?: ((item: FolderItem, folder: number) => boolean) | undefined
  /** Ends the removal between two entries. */
  signal?: Cancellation | undefined
  /** Counts what is gone. */
  gone?: { count: number } | undefined
  meter?: Meter | undefined
  /** A draft goes with all it holds. */
  isDraft?: boolean
}

/**
 * The draft of a folder may be that of another thread or server, which is about to give it its name. First it gets another one here:
 * so it never appears half empty, and whatever makes it fails, and leaves what it is a copy of where that is.
 */
export async function removeDraft(kernel: Kernel, draft: NameAt, removal: Removal = {}): Promise<void> {
  const gone = { folder: draft.folder, name: `${draftPrefix}${crypto.randomUUID()}` }
  const isThere = succeeds(['ENOENT'], () => moveName(kernel, draft, gone))
  if (isThere) await removeTree(kernel, gone.folder, gone.name, { ...removal, isDraft: true })
}

/** Removes a name and, for a folder, all below it. Never follows a link. True when nothing is left of it. */
export async function removeTree(kernel: Kernel, parent: number, name: Name, removal: Removal = {}): Promise<boolean> {
  const { force, gone = { count: 0 }, signal, meter, isDraft: goesWhole = false } = removal
  const keeps = goesWhole ? undefined : removal.keeps
  const stat = kernel.stat(parent, name)
  if (!isFolder(stat.mode)) {
    if (keeps?.({ name: String(name), bytes: undefined, stat }, parent)) return false
    dropName(kernel, { folder: parent, name })
    gone.count += 1
    return true
  }
  let isGone = false
  const open = (spot: NameAt, { mode }: Stat) => {
    if (force && (mode & openToOwner) !== openToOwner) openUpClosed(kernel, spot)
  }
  open({ folder: parent, name }, stat)
  await walkTree<Emptied>(
    kernel,
    { folder: parent, name },
    { above: undefined, count: 0 },
    {
      entered(folder, level) {
        level.count = 0
        if (force) openUp(kernel, folder)
      },
      file(folder, item, level) {
        signal?.throwIfAborted()
        if (keeps?.(item, folder)) return
        dropName(kernel, { folder, name: exactName(item) })
        level.count += 1
        gone.count += 1
        meter?.file(item.name).end(item.stat.size)
      },
      below(folder, item, above) {
        if (keeps?.(item, folder)) return undefined
        const spot = { folder, name: exactName(item) }
        if (isDraft(item) && !goesWhole) {
          above.count += 1
          return removeDraft(kernel, spot, removal).then(() => undefined)
        }
        open(spot, item.stat)
        return { above, count: 0 }
      },
      left(folder, name, level) {
        signal?.throwIfAborted()
        const answer = removeEmptied(kernel, { folder, name }, level, removal.keeps !== undefined)
        if (answer !== 'gone') return answer
        if (level.above === undefined) isGone = true
        else level.above.count += 1
        gone.count += 1
        return undefined
      },
    },
  )
  return isGone
}

/** A folder that is being emptied: how many of its names went in this round. */
export interface Emptied {
  readonly above: Emptied | undefined
  count: number
}

/** Reading while names go away may skip some on some file systems, so a folder is read until nothing goes any more. */
export function removeEmptied(
  kernel: Kernel,
  { folder, name }: NameAt,
  { count }: Emptied,
  mayStay: boolean,
): 'gone' | 'again' | undefined {
  try {
    dropFolder(kernel, { folder, name })
    return 'gone'
  } catch (error) {
    if (codeOf(error) !== 'ENOTEMPTY') throw error
    if (count > 0) return 'again'
    if (mayStay) return undefined
    throw error
  }
}

/** Where that is refused, the removal tells. */
export function openUp(kernel: Kernel, folder: number): void {
  try {
    kernel.changeMode(folder, 0o700)
  } catch {}
}

const openToOwner = 0o700

/** The same for a folder that cannot even be opened to read it. */
function openUpClosed(kernel: Kernel, { folder, name }: NameAt): void {
  try {
    const fd = kernel.open(folder, name, O.PATH | O.DIRECTORY | O.NOFOLLOW)
    try {
      chmodSync(`/proc/self/fd/${fd}`, openToOwner)
    } finally {
      kernel.close(fd)
    }
  } catch {}
}
