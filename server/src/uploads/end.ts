import { deadline } from '../concurrency/deadline.ts'
import type { Location } from '../mounts/location.ts'
import { atPlace } from './places.ts'
import type { Uploads } from './uploads.ts'

/** In milliseconds: a disk that does not answer keeps its drafts. */
const longestRemoval = 10_000

/** Removes the drafts of unfinished uploads to a folder that is about to be served no longer: nothing would find them afterwards. */
export async function dropDraftsBelow({ store, held, storageAt }: Uploads, folder: Location): Promise<void> {
  const drop = async () => {
    await held.write({ below: folder })
    for (const { place, id } of await store.below(folder))
      await atPlace(storageAt, place, (storage, path) => storage.dropDraft(path, id)).catch(() => {})
  }
  await deadline(drop(), longestRemoval, undefined)
}
