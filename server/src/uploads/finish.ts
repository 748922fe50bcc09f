import type { Scope } from '../access/scope.ts'
import { uploadFile } from '../changes/verbs.ts'
import { isFailure } from '../failure.ts'
import { isSameEntry } from '../storage/entry.ts'
import type { Entry, WriteOptions } from '../storage/port.ts'
import type { Finished } from './finished.ts'
import type { Upload } from './store.ts'
import { keyOf, type Owner, type Uploads } from './uploads.ts'

/** Turns the draft into the file. Where that is refused, the draft stays for another try. */
export async function finish(
  uploads: Uploads,
  scope: Scope,
  upload: Upload,
  commit: (options: WriteOptions) => Promise<Entry>,
): Promise<void> {
  const { store, locks, finished, changes } = uploads
  await uploadFile(changes, scope, upload.path, upload, (options) =>
    locks.withDraft(upload.id, async () => {
      const entry = await commit(options)
      finished.add(keyOf(upload), upload, entry)
      store.forget(upload.id)
      return entry
    }),
  )
}

/** Perhaps it was announced again while bytes arrived, with another wish about the file that is there. */
export const asAnnounced = async ({ store }: Uploads, upload: Upload): Promise<Upload> =>
  (await store.withId(upload.id)) ?? upload

/** Only while the file that the upload became is still there. */
export async function findFinished(uploads: Uploads, scope: Scope, owner: Owner): Promise<Finished | undefined> {
  const known = await uploads.finished.find(keyOf(owner))
  if (known === undefined) return undefined
  try {
    const file = await scope.open(owner.path)
    file.close()
    const isSame = isSameEntry(file.entry, known) && file.entry.size === known.size
    return isSame ? known : undefined
  } catch (error) {
    if (isFailure(error, 'not-found') || isFailure(error, 'invalid')) return undefined
    throw error
  }
}
