import { nameOf, parentOf } from '@filestead/contract/paths'
import { Failure } from '../../failure.ts'
import { codeOf, succeeds, tolerating } from '../linux/errno.ts'
import { type Kernel, O } from '../linux/kernel.ts'
import { isFile, isFolder } from '../linux/modes.ts'
import type { FilledEntry } from '../port.ts'
import type { Disk } from './disk.ts'
import { dropName } from './displace.ts'
import { sync } from './sync.ts'
import { statAt } from './target.ts'
import { exactName, walkTree } from './trees.ts'

/**
 * Puts folders and small files into an open folder. Nothing is synced: the tree does not show, and is made safe as a whole
 * by `secureTree`. Files of one folder mostly come together, so the last folder stays open.
 */
export async function fillFolder(disk: Disk, folder: number, entries: readonly FilledEntry[]): Promise<void> {
  const { kernel } = disk
  let last: { path: string; fd: number } | undefined
  const close = () => {
    if (last !== undefined) kernel.close(last.fd)
    last = undefined
  }
  try {
    for (const entry of entries) {
      const path = entry.kind === 'folder' ? entry.path : parentOf(entry.path)
      if (last?.path !== path) {
        close()
        last = { path, fd: openMade(disk, folder, path) }
      }
      if (entry.kind === 'file') await putFile(disk, last.fd, entry)
      else setTime(kernel, last.fd, entry)
    }
  } finally {
    close()
  }
}

/** Opens a folder below another one; those that are missing are made. */
function openMade({ kernel, modes }: Disk, base: number, path: string): number {
  const names = path.split('/').filter((name) => name !== '')
  const whole = names.join('/') || '.'
  const there = tolerating(['ENOENT', 'ENOTDIR'], () => kernel.openBeneath(base, whole, O.RDONLY | O.DIRECTORY))
  if (there !== undefined) return there
  let at = kernel.openBeneath(base, '.', O.RDONLY | O.DIRECTORY)
  for (const name of names) {
    try {
      succeeds(['EEXIST'], () => kernel.makeFolder(at, name, modes().folder))
      const next = kernel.openBeneath(at, name, O.RDONLY | O.DIRECTORY)
      kernel.close(at)
      at = next
    } catch (error) {
      kernel.close(at)
      if (codeOf(error) === 'ENOTDIR') throw new Failure('already-exists', 'A file has the name of a folder')
      throw error
    }
  }
  return at
}

async function putFile({ kernel, modes }: Disk, folder: number, entry: FilledEntry): Promise<void> {
  const name = nameOf(entry.path)
  const there = statAt(kernel, { folder, name })
  if (there !== undefined && isFolder(there.mode))
    throw new Failure('already-exists', 'A folder has the name of a file')
  // What an earlier try has left.
  if (there !== undefined) dropName(kernel, { folder, name })
  const { file } = modes()
  const mode = entry.isExecutable ? file | ((file & 0o444) >> 2) : file
  const fd = kernel.open(folder, name, O.WRONLY | O.CREAT | O.EXCL | O.NOFOLLOW, mode)
  try {
    if (entry.bytes !== undefined && entry.bytes.length > 0) await kernel.write(fd, [entry.bytes], 0)
    setTime(kernel, fd, entry)
  } finally {
    kernel.close(fd)
  }
}

function setTime(kernel: Kernel, fd: number, { modified }: FilledEntry): void {
  if (modified === undefined) return
  const seconds = Math.floor(modified)
  kernel.setTimes(fd, seconds, Math.round((modified - seconds) * 1000) * 1_000_000)
}

/** Waits until all that lies in an open folder is safe. */
export async function secureTree({ kernel }: Disk, folder: number): Promise<void> {
  if (kernel.canSyncFileSystem(folder)) return kernel.syncFileSystem(folder)
  await walkTree<true>(kernel, { folder, name: '.' }, true, {
    async file(at, item) {
      if (!isFile(item.stat.mode)) return
      const fd = kernel.open(at, exactName(item), O.RDONLY | O.NOFOLLOW | O.NONBLOCK)
      try {
        await sync(kernel, fd)
      } finally {
        kernel.close(fd)
      }
    },
    below: () => true,
    done: (at) => sync(kernel, at),
  })
}
