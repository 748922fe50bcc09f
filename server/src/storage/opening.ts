import { Failure } from '../failure.ts'
import type { Disk } from './disk.ts'
import { unless } from './errno.ts'
import { type Kernel, O, type Stat } from './kernel.ts'

/** Opens what a path names, without following links. What is ours, and all below it, is not there. */
export function openStrictly(disk: Disk, base: number, path: string, flags: number): { fd: number; stat: Stat } {
  const { kernel, ours } = disk
  requireNotThroughOurs(disk, base, path)
  if ((flags & (O.PATH | O.DIRECTORY)) === 0) requireNotOurs(disk, base, path)
  const fd = kernel.openBeneath(base, path.slice(1) || '.', flags)
  try {
    const stat = kernel.statOpen(fd)
    if (ours.is(stat)) throw notThere()
    return { fd, stat }
  } catch (error) {
    kernel.close(fd)
    throw error
  }
}

/**
 * Before it is opened: closing any descriptor of the database would drop the locks that SQLite holds on it in this
 * process, and the next command that ends would clear away the log of the running server.
 */
function requireNotOurs({ kernel, ours, follows }: Disk, base: number, path: string): void {
  const name = path.slice(1) || '.'
  const stat = unless(lookFailures, () => (follows ? statThrough(kernel, base, name) : kernel.stat(base, name)))
  if (stat !== undefined && ours.is(stat)) throw notThere()
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
