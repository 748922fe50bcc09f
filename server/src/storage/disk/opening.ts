import { Failure } from '../../failure.ts'
import { unless } from '../linux/errno.ts'
import { type Kernel, O, type Stat } from '../linux/kernel.ts'
import { isFile, isFolder, isLink } from '../linux/modes.ts'
import type { Disk } from './disk.ts'
import { placeOf } from './drafts.ts'

/** Opens what a path names, without following links. What is ours, and all below it, is not there. */
export function openStrictly(disk: Disk, base: number, path: string, flags: number): { fd: number; stat: Stat } {
  requireNoWayToOurs(disk, base, path)
  if ((flags & (O.PATH | O.DIRECTORY)) === 0) requireNotOurs(disk, base, path)
  return openChecked(disk, base, path, flags)
}

/** Opens a regular file or a folder. A pipe, socket or device is told of, but not opened: that may have effects. */
export function openToRead(disk: Disk, base: number, path: string): { fd: number | undefined; stat: Stat } {
  requireNoWayToOurs(disk, base, path)
  const stat = requireNotOurs(disk, base, path)
  if (stat !== undefined && !isFile(stat.mode) && !isFolder(stat.mode) && !isLink(stat.mode))
    return { fd: undefined, stat }
  // O_NONBLOCK, because the name may stand for a pipe by now.
  return openChecked(disk, base, path, O.RDONLY | O.NONBLOCK)
}

function requireNoWayToOurs(disk: Disk, base: number, path: string): void {
  disk.ours.lookAgain()
  if (isReservedPath(disk, base, path)) throw notThere()
  requireNotThroughOurs(disk, base, path)
}

function openChecked(disk: Disk, base: number, path: string, flags: number): { fd: number; stat: Stat } {
  const { kernel, ours } = disk
  const fd = kernel.openBeneath(base, path.slice(1) || '.', flags)
  try {
    const stat = kernel.statOpen(fd)
    if (ours.is(stat) || (disk.follows && leadsToReserved(disk, fd))) throw notThere()
    return { fd, stat }
  } catch (error) {
    kernel.close(fd)
    throw error
  }
}

/** Does a name on the way belong to us, or to what the next start would take for ours, in the folder it stands in? */
function isReservedPath({ kernel, ours }: Disk, base: number, path: string): boolean {
  for (let start = 1; start < path.length; ) {
    const slash = path.indexOf('/', start)
    const end = slash === -1 ? path.length : slash
    const folder = path.slice(1, start - 1) || '.'
    // Whatever is wrong on the way there is told by whoever opens the path.
    const isReserved = ours.reserves(
      path.slice(start, end),
      () => unless(lookFailures, () => statThrough(kernel, base, folder)) ?? nowhere,
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
    return isReservedPath(disk, top, placeOf(fd))
  } finally {
    disk.kernel.close(top)
  }
}

/**
 * Before it is opened: closing any descriptor of the database would drop the locks that SQLite holds on it in this
 * process, and the next command that ends would clear away the log of the running server.
 */
function requireNotOurs({ kernel, ours, follows }: Disk, base: number, path: string): Stat | undefined {
  const name = path.slice(1) || '.'
  const stat = unless(lookFailures, () => (follows ? statThrough(kernel, base, name) : kernel.stat(base, name)))
  if (stat !== undefined && ours.is(stat)) throw notThere()
  return stat
}

/** Whatever is wrong is told by whoever opens the path. */
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

/** Only a folder that holds something of ours can lead to it, so the usual path costs one look at its base. */
function requireNotThroughOurs({ kernel, ours }: Disk, base: number, path: string): void {
  let stat = kernel.statOpen(base)
  for (let end = path.indexOf('/', 1); end !== -1 && ours.holds(stat); end = path.indexOf('/', end + 1)) {
    // A missing name or a link on the way is told by whoever opens the whole path.
    const step = unless(['ENOENT', 'ENOTDIR', 'ELOOP'], () => kernel.openBeneath(base, path.slice(1, end), O.PATH))
    if (step === undefined) return
    try {
      stat = kernel.statOpen(step)
    } finally {
      kernel.close(step)
    }
    if (ours.is(stat)) throw notThere()
  }
}
