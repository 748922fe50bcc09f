import { codeOf, Errno, succeeds } from '../linux/errno.ts'
import { type Kernel, O } from '../linux/kernel.ts'
import { isFolder } from '../linux/modes.ts'
import { dropFolder, dropName, moveName } from './displace.ts'
import type { NameAt } from './target.ts'

/** Fails on a taken name in the same step. Some network file systems cannot; there, claiming the name first does it. */
export function renameToFree(kernel: Kernel, from: NameAt, to: NameAt): void {
  try {
    kernel.renameToFree(from.folder, from.name, to.folder, to.name)
  } catch (error) {
    if (codeOf(error) !== 'EINVAL' && codeOf(error) !== 'ENOSYS') throw error
    if (isFolder(kernel.stat(from.folder, from.name).mode)) renameFolder(kernel, from, to)
    else renameFile(kernel, from, to)
  }
}

/** mkdir refuses a taken name, and a folder may be renamed over an empty one. */
function renameFolder(kernel: Kernel, from: NameAt, to: NameAt): void {
  const rename = () => moveName(kernel, from, to)
  kernel.makeFolder(to.folder, to.name, 0o700)
  try {
    if (succeeds(['EEXIST', 'ENOTEMPTY'], rename)) return
  } catch (error) {
    dropFolder(kernel, to)
    throw error
  }
  // Over rclone not even over an empty one. A folder that is not empty stays, and so does a file: neither is replaced.
  dropFolder(kernel, to)
  rename()
}

/** A second name refuses a taken one and shows the whole file at once; where there are none, an empty file claims it. */
function renameFile(kernel: Kernel, from: NameAt, to: NameAt): void {
  // EIO is what rclone says to calls that it does not know.
  const noLinks = ['EPERM', 'EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EMLINK', 'EIO']
  const isLinked = succeeds(noLinks, () => kernel.link(from.folder, from.name, to.folder, to.name))
  // Another program may have given the name to a file of its own, or written to the empty one: that is not replaced.
  const isOurs = () => {
    const there = kernel.look(to.folder, to.name)
    if (there === undefined) return false
    return isLinked ? there.inode === kernel.stat(from.folder, from.name).inode : there.size === 0
  }
  if (!isLinked) claim(kernel, to)
  try {
    if (isLinked) dropName(kernel, from)
    else if (isOurs()) moveName(kernel, from, to)
    else throw new Errno('EEXIST', 'rename')
  } catch (error) {
    if (isOurs()) dropName(kernel, to)
    throw error
  }
}

const claim = (kernel: Kernel, { folder, name }: NameAt): void =>
  kernel.close(kernel.open(folder, name, O.WRONLY | O.CREAT | O.EXCL | O.NOFOLLOW, 0o600))
