import { nameOf } from '@filestead/contract'
import { Failure, isFailure } from '../failure.ts'
import { inFolder, rootPath } from '../storage/path.ts'
import { LeadsElsewhere, LinkInTheWay, type Storage } from '../storage/port.ts'
import {
  below,
  isInStore,
  type Location,
  locationIn,
  mountOf,
  mountRootOf,
  parentLocation,
  parseLocation,
  pathIn,
} from './location.ts'

/** Where a location leads to when symlinks are followed, also those into another mount. Fails as `resolve` does. */
export async function resolvedLocation(
  storageAt: (base: string) => Pick<Storage, 'resolve'>,
  location: Location,
): Promise<Location> {
  try {
    return locationIn(mountOf(location), await storageAt(mountRootOf(location)).resolve(pathIn(location)))
  } catch (error) {
    if (error instanceof LeadsElsewhere) return parseLocation(error.location)
    throw error
  }
}

/** A location that leads out of all mounts, into a store or to nothing stays as it is written: no row is about what lies there. */
export async function resolvedOrAsWritten(
  storageAt: (base: string) => Pick<Storage, 'resolve'>,
  location: Location,
): Promise<Location> {
  try {
    return await resolvedLocation(storageAt, location)
  } catch (error) {
    if (error instanceof Failure) return location
    throw error
  }
}

/**
 * The same for something that is moved, removed or made by its name, which may be a symlink itself and is not followed. A place
 * in a store has no symlinks on its way, and is never looked for.
 */
export async function realPlaceOf(
  storageAt: (base: string) => Pick<Storage, 'resolve'>,
  location: Location,
): Promise<Location> {
  const path = pathIn(location)
  if (path === rootPath || isInStore(location)) return location
  const folder = await resolvedOrAsWritten(storageAt, parentLocation(location))
  return below(folder, inFolder(rootPath, nameOf(path)))
}

/** Is there something of this name, on a way without symlinks? */
export async function isThere(
  storageAt: (base: string) => Pick<Storage, 'stat'>,
  location: Location,
): Promise<boolean> {
  try {
    await storageAt(mountRootOf(location)).stat(pathIn(location))
    return true
  } catch (error) {
    if (isFailure(error, 'not-found') || error instanceof LinkInTheWay) return false
    throw error
  }
}
