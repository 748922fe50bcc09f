import { segmentsOf } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { folded } from '../access/rules.ts'
import type { Database } from '../database/schema.ts'
import { type Location, locationIn, mountOf, mountRootOf, pathIn } from '../mounts/location.ts'
import { isThere, realPlaceOf } from '../mounts/resolved.ts'
import { inFolder, rootPath } from '../storage/path.ts'
import type { StorageAt } from './grants.ts'
import { grantsLike } from './store.ts'

export interface FolderDeps {
  readonly db: Kysely<Database>
  readonly storageAt: StorageAt
}

/** What a look at the storages tells of folders with grants. */
export type Folders = ReturnType<typeof foldersIn>

export const foldersIn = ({ db, storageAt }: FolderDeps) => ({
  isThere: (folder: Location): Promise<boolean> => isThere(storageAt, folder),

  realPlaceOf: (folder: Location): Promise<Location> => realPlaceOf(storageAt, folder),

  /** One that is renamed is there at once, and one that is copied is on its way for long. */
  isCopied: (from: Location, to: Location): boolean =>
    mountOf(from) !== mountOf(to) || !storageAt(mountRootOf(from)).capabilities.atomicRename,

  /** Another spelling of the same name, on a volume that folds case. */
  isSameName: (one: Location, two: Location): boolean =>
    mountOf(one) === mountOf(two) &&
    storageAt(mountRootOf(one)).capabilities.foldsCase &&
    folded(pathIn(one)) === folded(pathIn(two)),

  /** The folder as grants name it: where names that differ in case are the same, by each of them. */
  async spellingsOf(folder: Location): Promise<readonly Location[]> {
    const root = mountRootOf(folder)
    if (!storageAt(root).capabilities.foldsCase) return [folder]
    const names = segmentsOf(pathIn(folder))
    const spelled = new Set<Location>()
    for (const { location } of await grantsLike(db, { at: root, below: true })) {
      const found = segmentsOf(pathIn(location)).slice(0, names.length)
      if (found.length === names.length && found.every((name, at) => folded(name) === folded(names[at] ?? '')))
        spelled.add(locationIn(mountOf(root), found.reduce(inFolder, rootPath)))
    }
    return [...spelled]
  },
})
