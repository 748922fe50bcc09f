import { nameOf } from '@filestead/contract'
import { byName } from '../../access/scope.ts'
import { isFailure } from '../../failure.ts'
import { type Location, locationIn, mountOf, mountRootOf, pathIn } from '../../mounts/location.ts'
import { inFolder, parentOf, rootPath, type VirtualPath } from '../../storage/path.ts'
import { type Entry, type KeptFound, LinkInTheWay, type Storage } from '../../storage/port.ts'
import { stateOf } from './effects.ts'

/** Looks at files for no account: guards tell no more of them than that they changed. */
export interface Look {
  /** What stands there, or undefined. Links on the way are followed, one at its end is the thing itself. */
  at(location: Location): Promise<Entry | undefined>
  /** Where a link leads to; where it is, if it is none or leads nowhere. */
  followed(location: Location): Promise<Location>
  /** What a folder holds; of links, what they lead to. */
  list(folder: Location): Promise<readonly Entry[]>
  /** A hash of all that a folder holds: names, kinds, times and sizes. Undefined where that is too much to look at. */
  contentOf(folder: Location): Promise<string | undefined>
  /** What lies in the stores of a mount. */
  kept(mount: number, take: (found: readonly KeptFound[]) => void): Promise<void>
}

type StorageAt = (base: string) => Storage

export const lookIn = (storageAt: StorageAt): Look => ({
  at: (location) => lookAt(storageAt, location),
  followed: (location) =>
    storageAt(mountRootOf(location))
      .resolve(pathIn(location))
      .then(
        (path) => locationIn(mountOf(location), path),
        () => location,
      ),
  list: async (folder) =>
    (await storageAt(mountRootOf(folder)).list(pathIn(folder), undefined, { isOnce: true })).entries,
  contentOf: (folder) => contentOf(storageAt, folder),
  kept: (mount, take) => storageAt(locationIn(mount, rootPath)).kept(take),
})

async function lookAt(storageAt: StorageAt, location: Location): Promise<Entry | undefined> {
  const storage = storageAt(mountRootOf(location))
  const path = pathIn(location)
  try {
    return await storage.stat(path).catch(async (error) => {
      if (!(error instanceof LinkInTheWay)) throw error
      return storage.stat(inFolder(await storage.resolve(parentOf(path)), nameOf(path)))
    })
  } catch (error) {
    if (isFailure(error, 'not-found') || isFailure(error, 'forbidden')) return undefined
    throw error
  }
}

/** At once; more would only wait for the same disk. */
const together = 16

export async function inParts<In, Out>(items: readonly In[], work: (item: In) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = []
  for (let start = 0; start < items.length; start += together)
    results.push(...(await Promise.all(items.slice(start, start + together).map(work))))
  return results
}

const mostHashed = 100_000

/** Times of folders are none of it: they change when something comes, and again when that is taken back. */
async function contentOf(storageAt: StorageAt, folder: Location): Promise<string | undefined> {
  const storage = storageAt(mountRootOf(folder))
  const hash = new Bun.CryptoHasher('sha256')
  const waiting: VirtualPath[] = [pathIn(folder)]
  let count = 0
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { entries } = await storage.list(next, undefined, { isOnce: true })
    count += entries.length
    if (count > mostHashed) return undefined
    for (const entry of byName(entries)) {
      const isFolder = entry.kind === 'folder' && !entry.isLink
      hash.update(JSON.stringify([entry.exact ?? entry.name, entry.kind, isFolder ? '' : stateOf(entry)]))
      if (isFolder) waiting.push(inFolder(next, entry.exact ?? entry.name))
    }
    hash.update('/')
  }
  return hash.digest('base64url')
}
