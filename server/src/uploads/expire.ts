import type { Upload } from './store.ts'
import { keyOf, type Uploads } from './uploads.ts'

/** How long, in seconds, the draft of an expired upload is tried for on a volume that may not be mounted. */
const keepTrying = 30 * 86_400

/** Removes expired uploads and their drafts, except those that receive bytes right now. */
export async function removeExpiredUploads(uploads: Uploads): Promise<void> {
  const { store, clock, locks } = uploads
  const now = clock.unixSeconds()
  for (const listed of await store.expired(now))
    await locks.withDraft(listed.id, async () => {
      // The drafts before it may have taken long: a client may have gone on with this upload and prolonged it.
      const upload = await store.withId(listed.id)
      if (upload === undefined || upload.expiresAt > now || isReceiving(uploads, upload)) return
      if (!(await isDraftRemoved(uploads, upload)) && upload.expiresAt >= now - keepTrying) return
      // A row that cannot be deleted now is deleted by a later run.
      await store.delete(upload.id).catch(() => {})
    })
}

/** Only its own node knows whether an upload receives bytes; the others leave it alone while that node is alive. */
function isReceiving({ locks, node }: Uploads, upload: Upload): boolean {
  if (upload.node !== undefined && upload.node !== node.id) return node.isAlive(upload.node)
  return locks.isLocked(keyOf(upload))
}

async function isDraftRemoved({ storageAt }: Uploads, { scope, place, id }: Upload): Promise<boolean> {
  try {
    await storageAt(scope).dropDraft(place, id)
    return true
  } catch {
    return false
  }
}
