import { LeadsElsewhere, type Storage } from '../storage/port.ts'
import { type Location, locationIn, mountOf, mountRootOf, parseLocation, pathIn } from './location.ts'

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
