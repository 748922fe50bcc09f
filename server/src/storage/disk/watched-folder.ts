import { addWatch } from '../linux/inotify.ts'
import { O } from '../linux/kernel.ts'
import { isFolder } from '../linux/modes.ts'
import type { VirtualPath } from '../path.ts'
import type { Disk } from './disk.ts'
import { idOf } from './entry.ts'
import { openStrictly } from './opening.ts'

/**
 * What is to be told of a folder. `news`: what a client sees of it. Or all that changes what is remembered of it, of which
 * `contents` is what lies in it, and how it is; as `files` only where no file in it has another name. `names`: which names
 * are in it. `itself`: its own name and rights.
 */
export type WatchedPart = 'news' | 'contents' | 'files' | 'names' | 'itself'

export interface WatchedFolder {
  /** Its number in the queue; undefined where the kernel has no more of them, or cannot tell. */
  readonly watch?: number | undefined
  readonly device: number
  /** As of `Entry`. */
  readonly id: string
  /** Names of the server's own lie in it, which the kernel tells like all others. */
  readonly hasOwn: boolean
  /** Has a file in it another name, by which it changes untold? False where that was not looked for. */
  readonly hasShared: boolean
}

/** Has the kernel put what happens in a folder into a queue that is open. */
export function watchFolder(
  disk: Disk,
  base: number,
  folder: VirtualPath,
  inotify: number,
  part: WatchedPart,
): WatchedFolder {
  const looksForShared = part === 'files'
  const { fd, stat } = openStrictly(disk, base, folder, (looksForShared ? O.RDONLY : O.PATH) | O.DIRECTORY)
  try {
    const hasOwn = disk.ownFiles.namesIn(stat) !== undefined
    const watch = watchOf(inotify, fd, part)
    return { watch, device: stat.device, id: idOf(stat), hasOwn, hasShared: looksForShared && hasShared(disk, fd) }
  } finally {
    disk.kernel.close(fd)
  }
}

const toldOf = { news: 'present', contents: 'all', files: 'all', names: 'names', itself: 'itself' } as const

function watchOf(inotify: number, folder: number, part: WatchedPart): number | undefined {
  try {
    return addWatch(inotify, folder, toldOf[part])
  } catch {
    // The limit of the account is reached, or the folder may be passed through but not read.
    return undefined
  }
}

/** Of more than one read of a folder nothing is told. */
function hasShared({ kernel }: Disk, folder: number): boolean {
  const items = kernel.readFolder(folder) ?? []
  return items.some(({ stat }) => stat.links > 1 && !isFolder(stat.mode)) || kernel.readFolder(folder) !== null
}
