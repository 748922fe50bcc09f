import type { Scope } from '../access/scope.ts'
import { isUnwritable } from '../database/port.ts'
import { Failure } from '../failure.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { Upload } from './store.ts'
import { keyOf, ownerOf, requireUpload, type Uploads } from './uploads.ts'

/** Gives up an upload of the account, and stops the request that still sends to it. Files are out of reach here. */
export async function cancelUpload(uploads: Uploads, scope: Scope, path: VirtualPath): Promise<void> {
  scope.requireVisible(path)
  const owner = ownerOf(scope, path)
  const cancel = async () => abandon(uploads, scope, await requireUpload(uploads, owner))
  await uploads.writers.alone(keyOf(owner), cancel, 0)
}

/** The upload is over for its owner; a draft that is out of reach now is removed by `clearUploads`. */
export function abandon({ store, writers }: Uploads, scope: Scope, upload: Upload): Promise<void> {
  return writers.withDraft(upload.id, async () => {
    try {
      await scope.dropDraft(upload)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return store.change(upload.id, { expiresAt: 0 })
    }
    try {
      await store.delete(upload.id)
    } catch (error) {
      // The draft is gone and its room free; the row goes when it can.
      if (!isUnwritable(error)) throw error
      store.forget(upload.id)
    }
  })
}
