import { realpathSync } from 'node:fs'
import { Failure } from '../../failure.ts'
import { tolerating } from '../linux/errno.ts'
import { type Kernel, O, type Stat } from '../linux/kernel.ts'
import { readMounts } from '../linux/mount-table.ts'
import { isSame } from './target.ts'

/** In milliseconds: so long a look at the volume counts for verbs that only read. */
const aMoment = 20

/** The attribute of statx for the top of a file system, as mounted. */
const mountRoot = 0x2000

export const volumeGone = 'The volume of the served folder is not mounted any more'

/** What has been seen to be mounted. It outlives a thread: a new one must not take an empty folder for the volume. */
export interface VolumeState {
  /** The volume of the root. */
  root?: { readonly device: number; readonly isTop: boolean; readonly height: number }
  /** Where volumes are mounted below the root. */
  below: readonly string[]
}

/**
 * Refuses a root whose volume is gone: the folder it was mounted on stays behind and takes whatever is written, which
 * vanishes with the next mount. A volume that comes, or comes back, is welcome, and so is a new folder in the old place.
 */
export function volumeWatch(
  kernel: Kernel,
  state: VolumeState = { below: [] },
  changed: () => void = () => {},
): (root: number, toWrite?: boolean) => void {
  let seenAt = Number.NEGATIVE_INFINITY
  return (root, toWrite = true) => {
    const now = performance.now()
    if (!toWrite && now - seenAt < aMoment) return
    // Once it is gone, every request looks for it.
    seenAt = Number.NEGATIVE_INFINITY
    check(root)
    seenAt = now
  }

  function check(root: number): void {
    const stat = kernel.statOpen(root)
    const isTop = isMountRoot(stat)
    const known = state.root
    if (known?.device === stat.device && known.isTop === isTop) return
    // The nearer the top of its volume, the more has been mounted. Further away than ever before, something is missing.
    const height = heightAbove(kernel, root, stat)
    if (known !== undefined && height > known.height) throw new Failure('unavailable', volumeGone)
    state.root = { device: stat.device, isTop, height }
    changed()
  }
}

export const isMountRoot = ({ attributes }: Stat): boolean => (attributes & mountRoot) !== 0

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

/** The volumes that have been seen below the root. */
export interface Volumes {
  /** Refuses a folder that lies where one of them was mounted. */
  require(place: () => string): void
  /** Is something mounted at or below a folder? As known a second ago at the latest. */
  areWithin(folder: string): boolean
}

const often = 1000

/**
 * Disks are mounted below a root as well, and the folder that each leaves behind would take what is meant for it. Only the
 * kernel's list is asked, since a look at a disk that does not answer would keep all requests waiting.
 */
export function volumesBelow(
  kernel: Kernel,
  root: string,
  {
    now = () => performance.now(),
    state = { below: [] },
    changed = () => {},
  }: { now?: () => number; state?: VolumeState; changed?: () => void } = {},
): Volumes {
  let until = Number.NEGATIVE_INFINITY

  /** What is mounted now; none where the kernel does not tell. */
  function learn(): ReadonlySet<string> | undefined {
    until = now() + often
    const mounts = readMounts()
    const real = tolerating(unreadable, () => realpathSync(root))
    if (mounts === undefined || real === undefined) return undefined
    const points = new Set(mounts.map(({ point }) => point))
    const seen = new Set([...state.below, ...[...points].filter((point) => isBelow(point, real))])
    // A folder that was taken away too leaves nothing behind, and a new one of its name is a folder like any other.
    const below = [...seen].filter((point) => points.has(point) || !isMissing(kernel, point))
    if (below.length !== state.below.length || below.some((point) => !state.below.includes(point))) {
      state.below = below
      changed()
    }
    return points
  }

  learn()
  return {
    areWithin(folder) {
      if (now() >= until) learn()
      const within = state.below.filter((point) => point === folder || isBelow(point, folder))
      if (within.length === 0) return false
      const points = learn()
      return points === undefined || within.some((point) => points.has(point))
    },
    require(place) {
      if (now() >= until) learn()
      if (state.below.length === 0) return
      const folder = place()
      const above = state.below.filter((point) => folder === point || isBelow(folder, point))
      if (above.length === 0) return
      const points = learn()
      if (points !== undefined && above.some((point) => state.below.includes(point) && !points.has(point)))
        throw new Failure('unavailable', 'The volume of this folder is not mounted any more')
    },
  }
}

const isMissing = (kernel: Kernel, path: string): boolean =>
  tolerating(unreadable, () => kernel.look(-1, path)) === undefined

const unreadable = ['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG']

const isBelow = (path: string, folder: string): boolean => path.startsWith(folder === '/' ? folder : `${folder}/`)
