import { resolve } from 'node:path'
import { Failure, isFailure } from '../../failure.ts'
import { codeOf } from '../linux/errno.ts'
import { O } from '../linux/kernel.ts'
import type { Disk } from './disk.ts'
import { openStrictly } from './opening.ts'
import { followed } from './served-folders.ts'
import { volumeWatch } from './volume.ts'

/** The folder in which the paths of a storage begin. */
export interface Base {
  /** The full name of the root, and where the folder lies beneath it; empty for the root itself. */
  readonly root: string
  readonly folder: string
  /** To write, the volume is looked for; to read, it is enough that it was there a moment ago. */
  open(toWrite?: boolean): number
  /** The root itself, wherever in it the folder lies. */
  openRoot(): number
}

export const diskAway = 'The disk of this folder is not there at the moment'

export function rootAt(disk: Disk, directory: string): Base {
  const { kernel, volumeState, volumesChanged } = disk
  const place = resolve(directory)
  const requireVolume = volumeWatch(kernel, volumeState, volumesChanged)
  const open = (toWrite?: boolean) => {
    const root = openRoot(disk, place)
    try {
      requireVolume(root, toWrite)
      return root
    } catch (error) {
      kernel.close(root)
      throw disk.isFurtherMount && isFailure(error, 'unavailable') ? new Failure('unavailable', diskAway) : error
    }
  }
  return { root: place, folder: '', open, openRoot: () => open() }
}

/** The first root may be a symlink. A further one is known by its real name, and a symlink on the way has come since. */
function openRoot({ kernel, isFurtherMount }: Disk, place: string): number {
  if (!isFurtherMount) return kernel.open(-1, place, O.PATH | O.DIRECTORY)
  const top = kernel.open(-1, '/', O.PATH | O.DIRECTORY)
  try {
    return kernel.openWithoutLinks(top, place.slice(1) || '.', O.PATH | O.DIRECTORY)
  } catch (error) {
    if (codeOf(error) === 'EMFILE' || codeOf(error) === 'ENFILE') throw error
    throw new Failure('unavailable', diskAway, { cause: error })
  } finally {
    kernel.close(top)
  }
}

/** A folder whose path may hold links, as long as they stay beneath the base; the place they lead to has none. */
export function openThroughInnerLinks(disk: Disk, base: number, folder: string): number {
  let place = folder
  for (let tries = 0; tries < mostTries; tries += 1) {
    try {
      return openStrictly(disk, base, place, O.PATH | O.DIRECTORY).fd
    } catch (error) {
      if (codeOf(error) !== 'ELOOP') throw error
      place = beneathBase(disk, base, folder) ?? leadsOut()
    }
  }
  throw new Failure('not-found', 'The links keep changing')
}

/** Links may be swapped between a look and its use; so often it is tried again. */
const mostTries = 4

/** Where a path leads when its links are followed; none if that is outside. */
const beneathBase = (disk: Disk, base: number, path: string): string | undefined => followed(disk, base, path).beneath

export function leadsOut(): never {
  throw new Failure('forbidden', 'The path leads out of the folder')
}
