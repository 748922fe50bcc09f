import { hasRight, nameOf } from '@filestead/contract'
import { asShown, notAllowed } from '../../access/lookup.ts'
import { byName, type Scope, seenPath } from '../../access/scope.ts'
import { ignoring } from '../../failure.ts'
import { type Location, locationIn, mountOf, mountRootOf, pathIn } from '../../mounts/location.ts'
import { inFolder, parentOf, rootPath, type VirtualPath } from '../../storage/path.ts'
import { type Entry, type KeptFound, LinkInTheWay, type Storage } from '../../storage/port.ts'
import { stateOf } from './effects.ts'

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

/** What may be looked at. Each fails where that is not so. */
interface Permit {
  /** A place, as it is written and where links on the way lead to. */
  place(location: Location): void
  /** Something in a folder of which all has to be known. */
  content(location: Location): void
}

/** Looks for no account, so what it finds is not told. */
export const lookIn = (storageAt: StorageAt): Look => lookWith(storageAt, { place: () => {}, content: () => {} })

/** Looks at what an account sees now, and refuses the rest before anything is looked up. */
export const lookFor = (storageAt: StorageAt, scope: Scope): Look =>
  lookWith(storageAt, {
    place(location) {
      if (seenPath(scope.view, location) === undefined) throw notAllowed()
    },
    // A folder is treated as a whole, with hidden dotfiles, and without what rules and grants withhold.
    content(location) {
      const path = scope.tree.pathTo(location)
      const { visibility, rights } = scope.view
      if (path === undefined || !visibility.permits(asShown(path))) throw notAllowed()
      if (rights !== undefined && !hasRight(rights.rightsAt(asShown(path)), 'see')) throw notAllowed()
    },
  })

const lookWith = (storageAt: StorageAt, permit: Permit): Look => ({
  at: (location) => lookAt(storageAt, location, permit),
  async followed(location) {
    permit.place(location)
    const path = await storageAt(mountRootOf(location))
      .resolve(pathIn(location))
      .catch(() => undefined)
    if (path === undefined) return location
    const target = locationIn(mountOf(location), path)
    permit.place(target)
    return target
  },
  list: async (folder) =>
    (await storageAt(mountRootOf(folder)).list(pathIn(folder), undefined, { isOnce: true })).entries,
  contentOf: (folder) => contentOf(storageAt, folder, permit),
  kept: (mount, take) => storageAt(locationIn(mount, rootPath)).kept(take),
})

async function lookAt(storageAt: StorageAt, location: Location, permit: Permit): Promise<Entry | undefined> {
  permit.place(location)
  const storage = storageAt(mountRootOf(location))
  const path = pathIn(location)
  try {
    return await storage.stat(path).catch(gone)
  } catch (error) {
    if (!(error instanceof LinkInTheWay)) throw error
  }
  const folder = await storage.resolve(parentOf(path)).catch(gone)
  if (folder === undefined) return undefined
  const real = inFolder(folder, nameOf(path))
  permit.place(locationIn(mountOf(location), real))
  return storage.stat(real).catch(gone)
}

const gone = ignoring('not-found', 'forbidden')

const mostHashed = 100_000

/** Times of folders are none of it: they change when something comes, and again when that is taken back. */
async function contentOf(storageAt: StorageAt, folder: Location, permit: Permit): Promise<string | undefined> {
  const storage = storageAt(mountRootOf(folder))
  const hash = new Bun.CryptoHasher('sha256')
  const waiting: VirtualPath[] = [pathIn(folder)]
  let count = 0
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { entries } = await storage.list(next, undefined, { isOnce: true })
    count += entries.length
    if (count > mostHashed) return undefined
    for (const entry of byName(entries)) {
      const inside = inFolder(next, entry.exact ?? entry.name)
      permit.content(locationIn(mountOf(folder), inside))
      const isFolder = entry.kind === 'folder' && !entry.isLink
      hash.update(JSON.stringify([entry.exact ?? entry.name, entry.kind, isFolder ? '' : stateOf(entry)]))
      if (isFolder) waiting.push(inside)
    }
    hash.update('/')
  }
  return hash.digest('base64url')
}
