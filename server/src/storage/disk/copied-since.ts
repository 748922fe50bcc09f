import type { FolderItem, Kernel, Stat } from '../linux/kernel.ts'
import { isFolder } from '../linux/modes.ts'
import { isStoreName } from '../store-names.ts'
import { isHeld } from './parents.ts'
import { type CopiedFacts, isBeingStaged } from './staged-state.ts'
import { isDraft, isTransient } from './trees.ts'

/**
 * Knows what was copied as it is now: whatever was written after that, by a request that had the folder open already, is
 * not in the copy and must stay. Only what changed lately has to be noted, because all else tells by its own time.
 */
export function copiedSince(kernel: Kernel, known?: CopiedFacts) {
  const files = new Map<number, number>(known?.files)
  const folders = new Set<number>(known?.folders)
  /** What a move leaves in the source. */
  const stays = new Set<number>(known?.stays)
  /** Files with several names, of which one is gone: that was a change as well, but one of this move. */
  const unlinked = new Map<number, string>()
  const contentOf = ({ size, seconds, nanoseconds }: Stat) => [size, seconds, nanoseconds].join()
  const copied = {
    since: known?.since ?? 0,
    begin(source: Stat): void {
      // Its own last change is the renaming just now, by the clock of its disk; that of the process is asked where disks tell no such time.
      copied.since = Math.min(source.changed, Date.now()) - clockSlack
    },
    add({ mode, inode, changed }: Stat): void {
      if (isFolder(mode)) folders.add(inode)
      else if (changed >= copied.since) files.set(inode, changed)
    },
    stays: ({ inode }: Stat): void => void stays.add(inode),
    facts: (root: CopiedFacts['root']): CopiedFacts => ({
      root,
      since: copied.since,
      files: [...files],
      folders: [...folders],
      stays: [...stays],
    }),
    lacks(item: FolderItem, folder: number): boolean {
      const { mode, inode, changed } = item.stat
      if (stays.has(inode) || isStoreName(item.name)) return true
      if (isTransient(item)) return isHeld(kernel.statOpen(folder))
      if (isDraft(item)) return isBeingStaged(kernel, folder, item.name)
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
