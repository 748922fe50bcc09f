import { Failure } from '../failure.ts'
import { type Kernel, O, type Stat } from './kernel.ts'
import { isSame } from './place.ts'

/** The attribute of statx for the top of a file system, as mounted. */
const mountRoot = 0x2000

export const volumeGone = 'The volume of the served folder is not mounted any more'

/**
 * Refuses a root whose volume is gone: the folder it was mounted on stays behind and takes whatever is written, which
 * vanishes with the next mount. A volume that comes, or comes back, is welcome, and so is a new folder in the old place.
 */
export function volumeWatch(kernel: Kernel): (root: number) => void {
  let known: { device: number; isTop: boolean; height: number } | undefined
  return (root) => {
    const stat = kernel.statOpen(root)
    const isTop = isMountRoot(stat)
    if (known?.device === stat.device && known.isTop === isTop) return
    // The nearer the top of its volume, the more has been mounted. Further away than ever before, something is missing.
    const height = heightAbove(kernel, root, stat)
    if (known !== undefined && height > known.height) throw new Failure('unavailable', volumeGone)
    known = { device: stat.device, isTop, height }
  }
}

const isMountRoot = ({ attributes }: Stat): boolean => (attributes & mountRoot) !== 0

/** How many folders lie between an open one and the top of its volume. */
function heightAbove(kernel: Kernel, folder: number, stat: Stat): number {
  let [at, here, height] = [folder, stat, 0]
  try {
    for (; !isMountRoot(here); height += 1) {
      const up = kernel.open(at, '..', O.PATH | O.DIRECTORY)
      if (at !== folder) kernel.close(at)
      at = up
      const above = kernel.statOpen(at)
      // Old kernels do not tell where something is mounted; the device does.
      if (above.device !== here.device || isSame(above, here)) break
      here = above
    }
    return height
  } finally {
    if (at !== folder) kernel.close(at)
  }
}
