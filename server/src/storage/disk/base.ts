import { resolve } from 'node:path'
import { Failure } from '../../failure.ts'
import { codeOf } from '../linux/errno.ts'
import { O } from '../linux/kernel.ts'
import type { Disk } from './disk.ts'
import { pathOfDescriptor } from './drafts.ts'
import { follow } from './links.ts'
import { openStrictly } from './opening.ts'
import { linkAt } from './reading.ts'
import { volumeWatch } from './volume.ts'

/** The folder in which the paths of a storage begin. */
export interface Base {
  /** The full name of the root, and where the folder lies beneath it; empty for the root itself. */
  readonly root: string
  readonly folder: string
  /** To write, the volume is looked for; to read, it is enough that it was there a moment ago. */
  open(toWrite?: boolean): number
}

export function rootAt({ kernel, volumeState, volumesChanged }: Disk, directory: string): Base {
  const place = resolve(directory)
  const requireVolume = volumeWatch(kernel, volumeState, volumesChanged)
  return {
    root: place,
    folder: '',
    open(toWrite) {
      const root = kernel.open(-1, place, O.PATH | O.DIRECTORY)
      try {
        requireVolume(root, toWrite)
        return root
      } catch (error) {
        kernel.close(root)
        throw error
      }
    },
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
export function beneathBase({ foundLink }: Disk, base: number, path: string): string | undefined {
  const root = pathOfDescriptor(base)
  const real = follow(root, path, linkAt, foundLink)
  return isBeneath(real, root) ? real.slice(root.length) || '/' : undefined
}

export function leadsOut(): never {
  throw new Failure('forbidden', 'The path leads out of the folder')
}

const isBeneath = (real: string, root: string): boolean => real === root || real.startsWith(`${root}/`)
