import { codeOf } from '../linux/errno.ts'
import { O } from '../linux/kernel.ts'
import { finish, sharesBytes } from './copying.ts'
import type { Disk } from './disk.ts'
import { type Displaced, dropName } from './displace.ts'
import { copyPieces, hasHoles } from './in-place.ts'
import type { Claim } from './keeping.ts'

/** The content of a file that is about to be overwritten, in a store. */
export interface KeptCopy {
  /** The file has been overwritten, or may have been in part. */
  done(): void
  /** It has not. */
  drop(): void
}

/**
 * A file that keeps its names is not renamed: its content is copied into a store, or shares its blocks with a file there. A
 * copy that has no room there ends no save; the old content is lost then. Undefined where nothing is to be kept.
 */
export async function keepCopy({ kernel, ownFiles, keeping }: Disk, target: Displaced): Promise<KeptCopy | undefined> {
  if (keeping === undefined) return undefined
  const lost: KeptCopy = { done: () => keeping.lost(target), drop() {} }
  const claim = keeping.claim(target)
  if (claim === undefined) return lost
  const drop = () => {
    dropIfThere(claim)
    claim.drop()
  }
  const dropIfThere = ({ at }: Claim) => {
    if (kernel.look(at.folder, at.name) !== undefined) dropName(kernel, at)
  }
  try {
    const from = kernel.open(target.folder, target.name, O.RDONLY | O.NOFOLLOW | O.NONBLOCK)
    try {
      const to = kernel.open(claim.at.folder, claim.at.name, O.WRONLY | O.CREAT | O.EXCL | O.NOFOLLOW, 0o600)
      try {
        const { size } = target.stat
        // Not by `copyContent`: it waits until the file is not being overwritten, and the caller is about to overwrite it.
        if (!sharesBytes(kernel, from, to))
          await copyPieces(kernel, from, to, { size, keepsHoles: hasHoles(kernel, from, size), inKernel: true })
        await finish({ kernel, ownFiles, pathToOriginal: '', isMove: true }, from, to, target.stat)
      } finally {
        kernel.close(to)
      }
    } finally {
      kernel.close(from)
    }
    return { done: claim.done, drop }
  } catch (error) {
    drop()
    if (!noRoom.includes(codeOf(error) ?? '')) throw error
    return lost
  }
}

/** A file that may be written but not read is none that could be copied. */
const noRoom = ['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS', 'EFBIG']
