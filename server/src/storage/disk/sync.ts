import { codeOf } from '../linux/errno.ts'
import type { FileCalls } from '../linux/file-calls.ts'
import type { Kernel, Stat } from '../linux/kernel.ts'
import { isFile } from '../linux/modes.ts'

/** Waits until a file, or the names in a folder, are safe; where the file system promises nothing it is not asked to. */
export async function sync(calls: Pick<FileCalls, 'sync'>, fd: number): Promise<void> {
  try {
    await calls.sync(fd)
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(codeOf(error) ?? '')) throw error
  }
}

interface FolderSync {
  readonly running: Promise<void>
  /** For those that came after it began, which may be too early for what they have renamed. */
  next: Promise<void> | undefined
}

/** Folders that are being synced, by identity. */
const syncing = new Map<string, FolderSync>()

/** The same for a folder that many files come into at once: those that wait for it share one sync. */
export function syncFolder(kernel: Pick<Kernel, 'sync' | 'statOpen'>, fd: number): Promise<void> {
  const { device, inode } = kernel.statOpen(fd)
  const key = `${device}:${inode}`
  const start = () => {
    const running = sync(kernel, fd)
    const begun: FolderSync = { running, next: undefined }
    syncing.set(key, begun)
    const end = () => {
      if (begun.next === undefined) syncing.delete(key)
    }
    running.then(end, end)
    return running
  }
  const under = syncing.get(key)
  if (under === undefined) return start()
  under.next ??= under.running.then(start, start)
  return under.next
}

/**
 * What has just got its name, and that name. Where the file system keeps an order, the sync of the folder makes both safe.
 */
export async function syncNamed(
  kernel: Pick<Kernel, 'sync' | 'statOpen' | 'keepsOrder'>,
  fd: number,
  folder: number,
): Promise<void> {
  if (kernel.keepsOrder(folder)) return syncFolder(kernel, folder)
  // Both have ended before the caller closes them.
  const [own, name] = await Promise.allSettled([sync(kernel, fd), syncFolder(kernel, folder)])
  for (const result of [own, name]) if (result.status === 'rejected') throw result.reason
}

interface TreeSync {
  /** Makes a new file or folder of the tree safe, now or at the end. */
  sync(fd: number, stat: Stat): Promise<void>
  /** There is a new symlink, which cannot be opened, and so not be synced by itself. */
  linked(): void
  /** Waits until all of them are. */
  end(): Promise<void>
}

/** So many are synced one by one: a sync of all also waits for what others have written to the disk. */
const mostAlone = 8
/** A larger file is on its way to the disk while the next ones are copied. */
const largestLater = 1 << 20

/**
 * For new files in a tree that shows itself when all of them are safe. Each sync of a small file makes the disk wait for its
 * log, so many of them are made safe by one for the whole file system. `folder` was opened before the first was written.
 */
export function treeSync(kernel: Kernel, folder: number, { isBegun = false } = {}): TreeSync {
  const isTogether = kernel.canSyncFileSystem(folder)
  let alone = 0
  // Of an earlier try there may be files that wait for a sync of all.
  let isOpen = isBegun && isTogether
  return {
    async sync(fd, { mode, size }) {
      if (isTogether && alone >= mostAlone && !(isFile(mode) && size > largestLater)) {
        isOpen = true
        return
      }
      alone += 1
      await sync(kernel, fd)
    },
    linked() {
      // Where an order is kept, the sync of its folder makes it safe.
      if (isTogether && !kernel.keepsOrder(folder)) isOpen = true
    },
    async end() {
      if (isOpen) await kernel.syncFileSystem(folder)
    },
  }
}
