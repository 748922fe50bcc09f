import { join } from 'node:path/posix'
import { isInside } from '@filestead/contract/paths'
import { Failure } from '../../failure.ts'
import { follow } from '../links.ts'
import { codeOf, Errno } from '../linux/errno.ts'
import type { Disk } from './disk.ts'
import { pathOfDescriptor } from './drafts.ts'
import { linkAt } from './reading.ts'
import type { Target } from './target.ts'

/** The root of a mount: what symlinks lead to in it is decided by the rights there. */
export interface ServedFolder {
  /** The prefix of locations in it, such as '2:'; empty for the first mount. */
  readonly prefix: string
  /** Without symlinks. */
  readonly folder: string
}

/** Where a full name without symlinks is served: the location, as rows have it. */
export function locationOf(disk: Disk, real: string): string | undefined {
  const holder = disk.servedFolders?.()?.find(({ folder }) => isInside(real, folder))
  if (holder === undefined) return undefined
  const { prefix, folder } = holder
  return `${prefix}${folder === '/' ? real : real.slice(folder.length) || '/'}`
}

/**
 * Opens a path that may lead anywhere. A symlink that leads to what is served stands in the way: the path that it leads to
 * is asked for instead, or the location in another mount, so that the rights of that place decide. Whether anything is there
 * is not told before. What is open tells by its name where it lies: the links may be others by now.
 */
export function openAnywhere(disk: Disk, base: number, path: string, flags: number): number {
  const { kernel, servedFolders } = disk
  if (!disk.follows || servedFolders?.() === undefined) return kernel.openBeneath(base, path, flags)
  try {
    return openOutside(disk, base, path, flags) ?? kernel.openWithoutLinks(base, path, flags)
  } catch (error) {
    if (codeOf(error) !== 'ELOOP' || isServed(disk, base, followed(disk, base, path).real)) throw error
  }
  const fd = kernel.openBeneath(base, path, flags)
  if (!isServed(disk, base, pathOfDescriptor(fd))) return fd
  kernel.close(fd)
  throw new Errno('ELOOP', 'openat2')
}

/** From a base that lies in no mount, no link is needed to come to one. Undefined for all other bases. */
function openOutside(disk: Disk, base: number, path: string, flags: number): number | undefined {
  if (!liesOutside(disk, base)) return undefined
  // Not opened before: its disk may not answer.
  if (locationOf(disk, join(pathOfDescriptor(base), path)) !== undefined) throw new Errno('ELOOP', 'openat2')
  const fd = disk.kernel.openWithoutLinks(base, path, flags)
  if (locationOf(disk, pathOfDescriptor(fd)) === undefined) return fd
  disk.kernel.close(fd)
  throw new Errno('ELOOP', 'openat2')
}

/** Does a base lie in no mount, because a link led out of all of them? */
const liesOutside = (disk: Disk, base: number): boolean =>
  disk.follows && disk.servedFolders?.() !== undefined && locationOf(disk, pathOfDescriptor(base)) === undefined

/** The location that a full name leads to, where it is not beneath the base or belongs to a mount that the base is no part of. */
export const locationBeyond = (disk: Disk, base: number, real: string, isBeneath: boolean): string | undefined =>
  isBeneath && !liesOutside(disk, base) ? undefined : locationOf(disk, real)

const isServed = (disk: Disk, base: number, real: string): boolean =>
  isInside(real, pathOfDescriptor(base)) || locationOf(disk, real) !== undefined

/** The full name that a path leads to when its links are followed, and its name beneath the base. */
export function followed({ foundLink }: Disk, base: number, path: string): { real: string; beneath?: string } {
  const root = pathOfDescriptor(base)
  const real = follow(root, path, linkAt, foundLink)
  return real === root || real.startsWith(`${root}/`) ? { real, beneath: real.slice(root.length) || '/' } : { real }
}

/**
 * Behind a link that leads out of all mounts there may be a folder that holds one. The rights in that mount are its own,
 * so the folder is not moved, copied, replaced or removed as a whole. Told by names alone: the disk of a mount may not answer.
 */
export function requireNoRootIn(disk: Disk, { folder, name }: Pick<Target, 'folder' | 'name'>): void {
  const served = disk.follows ? disk.servedFolders?.() : undefined
  if (served === undefined) return
  const parent = pathOfDescriptor(folder)
  if (served.some((root) => isInside(parent, root.folder))) return
  const place = folded(join(parent, name))
  if (served.some((root) => isInside(folded(root.folder), place)))
    throw new Failure('forbidden', 'A root folder lies there, which is changed by its own name alone')
}

/** Some file systems take names that differ in case, or in how accents are encoded, for the same. */
const folded = (name: string): string => name.normalize('NFKD').toLowerCase()
