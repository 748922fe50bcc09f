import type { Scope } from '../access/scope.ts'
import { isUnwritable } from '../database/port.ts'
import { Failure } from '../failure.ts'
import type { VirtualPath } from '../storage/path.ts'
import { draftOf } from './places.ts'
import { keyOf, type Upload } from './store.ts'
import { isOfOther, ownerOf, requireUpload, type Uploads } from './uploads.ts'

/** Cancels an upload of the account and stops the request that still sends to it. Never removes a file. */
export async function cancelUpload(uploads: Uploads, scope: Scope, path: VirtualPath): Promise<void> {
  const owner = ownerOf(scope, path)
  const cancel = async () => discard(uploads, scope, await requireUpload(uploads, scope, owner))
  await uploads.locks.withUpload(keyOf(owner), cancel, 0)
}

/** Removes draft and row. A draft that cannot be reached now is left to `uploadExpiry`. */
export async function discard(uploads: Uploads, scope: Scope, upload: Upload): Promise<void> {
  const { store, held, locks, telling } = uploads
  telling.ended(upload)
  if (await held.end(upload.id, async () => true)) return
  return locks.withDraft(upload.id, async () => {
    try {
      await scope.dropDraft(draftOf(scope, upload))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return store.change(upload.id, { expiresAt: 0 })
    }
    try {
      // The other server may be about to make the draft, which must not be without a row: `uploadExpiry` looks for both.
      if (isOfOther(uploads, upload)) await store.change(upload.id, { expiresAt: 0 })
      else await store.delete(upload.id)
    } catch (error) {
      // The draft is gone and its room free; the row is deleted when the database can be written again.
      if (!isUnwritable(error)) throw error
      store.forget(upload.id)
    }
  })
}
