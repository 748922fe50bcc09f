import { Failure } from '../../failure.ts'
import { tolerating } from '../linux/errno.ts'
import { type Kernel, O, type Stat } from '../linux/kernel.ts'
import { isFile, isFolder, isLink } from '../linux/modes.ts'
import type { Disk } from './disk.ts'
import { pathOfDescriptor } from './drafts.ts'
import { openAnywhere } from './served-folders.ts'

/** Opens what a path names, without following links. The server's own files, and all below them, are not there. */
export function openStrictly(disk: Disk, base: number, path: string, flags: number): { fd: number; stat: Stat } {
  requireNoWayToOwn(disk, base, path)
  if ((flags & (O.PATH | O.DIRECTORY)) === 0) requireNotOwn(disk, base, path)
  return openChecked(disk, base, path, flags)
}

/** Opens a regular file or a folder. A pipe, socket or device is told of, but not opened: that may have effects. */
export function openToRead(
  disk: Disk,
  base: number,
  path: string,
  largest = Number.POSITIVE_INFINITY,
): { fd: number | undefined; stat: Stat } {
  requireNoWayToOwn(disk, base, path)
  const stat = requireNotOwn(disk, base, path)
  const isSpecial = stat !== undefined && !isFile(stat.mode) && !isFolder(stat.mode) && !isLink(stat.mode)
  if (isSpecial || (stat !== undefined && isFile(stat.mode) && stat.size > largest)) {
    // The facts of what lies elsewhere are not told either.
    if (disk.follows) disk.kernel.close(openAnywhere(disk, base, path.slice(1) || '.', O.PATH))
    return { fd: undefined, stat }
  }
  // O_NONBLOCK, because the name may stand for a pipe by now.
  return openChecked(disk, base, path, O.RDONLY | O.NONBLOCK)
}

function requireNoWayToOwn(disk: Disk, base: number, path: string): void {
  disk.ownFiles.refresh()
  if (isReservedPath(disk, base, path)) throw notThere()
  requireNotThroughOwn(disk, base, path)
}

function openChecked(disk: Disk, base: number, path: string, flags: number): { fd: number; stat: Stat } {
  const { kernel, ownFiles } = disk
  const fd = openAnywhere(disk, base, path.slice(1) || '.', flags)
  try {
    const stat = kernel.statOpen(fd)
    if (ownFiles.is(stat) || (disk.follows && leadsToReserved(disk, fd))) throw notThere()
    return { fd, stat }
  } catch (error) {
    kernel.close(fd)
    throw error
  }
}

/** Is a name on the way reserved in its folder for the server's own files, now or at the next start? */
function isReservedPath({ kernel, ownFiles }: Disk, base: number, path: string): boolean {
  for (let start = 1; start < path.length; ) {
    const slash = path.indexOf('/', start)
    const end = slash === -1 ? path.length : slash
    const folder = path.slice(1, start - 1) || '.'
    // Whatever is wrong on the way there is found when the path is opened.
    const isReserved = ownFiles.reserves(
      path.slice(start, end),
      () => tolerating(lookFailures, () => statThrough(kernel, base, folder)) ?? nowhere,
    )
    if (isReserved) return true
    start = end + 1
  }
  return false
}

const nowhere = { inode: -1, device: -1 }

/** Where links are followed, the path that was asked for says little about the names that were gone through. */
function leadsToReserved(disk: Disk, fd: number): boolean {
  const top = disk.kernel.open(-1, '/', O.PATH | O.DIRECTORY)
  try {
    return isReservedPath(disk, top, pathOfDescriptor(fd))
  } finally {
    disk.kernel.close(top)
  }
}

/**
 * Before it is opened: closing any descriptor of the database would drop the locks that SQLite holds on it in this
 * process, and the next command that ends would clear away the log of the running server. The look follows no link that
 * opening would not follow: what lies behind it is not told, and may be on a disk that does not answer.
 */
function requireNotOwn({ kernel, ownFiles }: Disk, base: number, path: string): Stat | undefined {
  const stat = tolerating(lookFailures, () => statThrough(kernel, base, path.slice(1) || '.'))
  if (stat !== undefined && ownFiles.is(stat)) throw notThere()
  return stat
}

/** Whatever is wrong is found when the path is opened. */
const lookFailures = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENAMETOOLONG', 'EINVAL', 'EAGAIN', 'EXDEV']

function statThrough(kernel: Kernel, base: number, name: string): Stat {
  const fd = kernel.openBeneath(base, name, O.PATH)
  try {
    return kernel.statOpen(fd)
  } finally {
    kernel.close(fd)
  }
}

export const notThere = () => new Failure('not-found', 'There is no such file or folder')

/** Only a folder that holds something of the server's own can lead to it, so the usual path costs one look at its base. */
function requireNotThroughOwn({ kernel, ownFiles }: Disk, base: number, path: string): void {
  let stat = kernel.statOpen(base)
  for (let end = path.indexOf('/', 1); end !== -1 && ownFiles.holds(stat); end = path.indexOf('/', end + 1)) {
    // A missing name or a symlink on the way is found when the whole path is opened.
    const step = tolerating(['ENOENT', 'ENOTDIR', 'ELOOP'], () => kernel.openBeneath(base, path.slice(1, end), O.PATH))
    if (step === undefined) return
    try {
      stat = kernel.statOpen(step)
    } finally {
      kernel.close(step)
    }
    if (ownFiles.is(stat)) throw notThere()
  }
}
