import { posix } from 'node:path'
import { isInside, nameOf } from '@filestead/contract'
import { Failure } from '../failure.ts'
import { inFolder, parentOf, parsePath, rebase, type VirtualPath } from '../storage/path.ts'
import { type Entry, LinkInTheWay, type Storage } from '../storage/port.ts'

/** Where a path lies as seen from the root: paths of different scopes can be compared by it. */
export interface Place {
  /** Where the name itself lies, be it a symlink or not. */
  readonly name: VirtualPath
  /** Where the path leads in the end. */
  readonly target: VirtualPath
}

export interface Places {
  of(path: VirtualPath): Promise<Place>
  /** The way to a place in this scope; none if it lies outside. */
  pathTo(place: VirtualPath): string | undefined
}

/** '.', 'home' and '/home/' are ways to write a scope; this form is compared. */
export const folderOf = (scope: string): VirtualPath => parsePath(posix.join('/', scope))

/** Each scope is looked up once; a finder is made for one question and thrown away. */
export function placeFinder(storageAt: (scope: string) => Storage): (scope: string) => Promise<Places> {
  const known = new Map<string, Promise<Places>>()
  return (scope) => {
    const places = known.get(scope) ?? placesIn(storageAt, scope)
    known.set(scope, places)
    return places
  }
}

async function placesIn(storageAt: (scope: string) => Storage, scope: string): Promise<Places> {
  const base = await resolved(storageAt('/'), folderOf(scope))
  const storage = storageAt(scope)
  const targetOf = async (path: VirtualPath) => rebase(base, await resolved(storage, path))
  return {
    async of(path) {
      if (path === '/') return { name: base, target: base }
      // Nearly always: one stat that follows nothing is much cheaper than going along a path in search of symlinks.
      const entry = await literal(storage, path)
      if (entry !== undefined && !entry.isLink) return { name: rebase(base, path), target: rebase(base, path) }
      return { name: inFolder(await targetOf(parentOf(path)), nameOf(path)), target: await targetOf(path) }
    },
    pathTo: (place) => (isInside(place, base) ? (base === '/' ? place : place.slice(base.length) || '/') : undefined),
  }
}

/** A path that leads out, or to nothing, stays as it is written: it is the same path in all scopes. */
async function resolved(storage: Storage, path: VirtualPath): Promise<VirtualPath> {
  try {
    return await storage.resolve(path)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return path
  }
}

/**
 * What stands at a path, as far as symlinks can be followed to it; the last name itself is not followed. Errors that
 * `isMissing` does not accept are thrown.
 */
export async function entryAt(
  storage: Storage,
  path: VirtualPath,
  isMissing: (error: Failure) => boolean = () => true,
): Promise<Entry | undefined> {
  const entry = await literal(storage, path, isMissing)
  if (entry !== undefined || path === '/') return entry
  return literal(storage, inFolder(await resolved(storage, parentOf(path)), nameOf(path)), isMissing)
}

async function literal(
  storage: Storage,
  path: VirtualPath,
  isMissing: (error: Failure) => boolean = () => true,
): Promise<Entry | undefined> {
  try {
    return await storage.stat(path)
  } catch (error) {
    if (error instanceof LinkInTheWay || (error instanceof Failure && isMissing(error))) return undefined
    throw error
  }
}
