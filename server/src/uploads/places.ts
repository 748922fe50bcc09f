import { nameOf } from '@filestead/contract'
import type { DraftPlace, Scope } from '../access/scope.ts'
import { Failure } from '../failure.ts'
import { type Location, mountRootOf, pathIn } from '../mounts/location.ts'
import { inFolder, parentOf, type VirtualPath } from '../storage/path.ts'
import { LinkInTheWay, type Storage } from '../storage/port.ts'
import type { Upload } from './store.ts'

/** The draft of an upload as its sender reaches it. Undefined once its folder was moved to where the sender has nothing. */
export function findDraft({ tree }: Scope, { id, location, place }: Upload): DraftPlace | undefined {
  const [path, at] = [tree.pathTo(location), tree.pathTo(place)]
  return path === undefined || at === undefined ? undefined : { id, path, place: at }
}

export function draftOf(scope: Scope, upload: Upload): DraftPlace {
  const draft = findDraft(scope, upload)
  if (draft === undefined) throw noSuchUpload()
  return draft
}

export const noSuchUpload = () => new Failure('not-found', 'There is no such upload')

/** Reaches a draft without an account. A home may be a symlink, so that one can stand before the folder of the draft. */
export async function atPlace<T>(
  storageAt: (base: string) => Storage,
  place: Location,
  work: (storage: Storage, path: VirtualPath) => Promise<T>,
): Promise<T> {
  const storage = storageAt(mountRootOf(place))
  const path = pathIn(place)
  try {
    return await work(storage, path)
  } catch (error) {
    if (!(error instanceof LinkInTheWay)) throw error
    return work(storage, inFolder(await storage.resolve(parentOf(path)), nameOf(path)))
  }
}
