import { translated } from '../linux/errno.ts'
import type { VirtualPath } from '../path.ts'
import type { Base } from './base.ts'
import { requireNotTooDeep } from './depth.ts'
import type { Disk } from './disk.ts'
import { openHeld } from './parents.ts'
import { requireNoRootIn } from './served-folders.ts'
import { openTarget, type Target } from './target.ts'

/** A folder in which paths begin, on a disk. */
export interface Rooted {
  readonly disk: Disk
  readonly begin: Base
}

/** The base is opened for every call: a volume that is mounted or replaced later is simply there. */
export const inBase = <T>(
  { disk, begin }: Rooted,
  work: (base: number) => T | Promise<T>,
  { toWrite = false } = {},
): Promise<T> =>
  translated(async () => {
    const base = begin.open(toWrite)
    try {
      return await work(base)
    } finally {
      disk.kernel.close(base)
    }
  })

/** Parents that were made for work which fails are taken away again. */
export const inTarget = <T>(
  rooted: Rooted,
  path: VirtualPath,
  parents: 'create' | 'must-exist',
  work: (place: Target) => Promise<T>,
): Promise<T> =>
  inBase(
    rooted,
    async (base) => {
      if (parents === 'create') requireNotTooDeep(path)
      const place = await openTarget(rooted.disk, base, path, parents)
      try {
        requireNoRootIn(rooted.disk, place)
        return await work(place)
      } catch (error) {
        place.undoParents()
        throw error
      } finally {
        place.close()
      }
    },
    { toWrite: true },
  )

/** For a folder that may be a root, whose parent is out of reach: it is called '.' in itself. */
export const inOpenFolder = <T>(rooted: Rooted, path: VirtualPath, work: (place: Target) => Promise<T>): Promise<T> =>
  inBase(
    rooted,
    async (base) => {
      const held = openHeld(rooted.disk, base, path)
      try {
        return await work({ folder: held.fd, name: '.', close: held.close, undoParents() {} })
      } finally {
        held.close()
      }
    },
    { toWrite: true },
  )
