import type { Upload } from './store.ts'
import { keyOf, type Uploads } from './uploads.ts'

/** How long, in seconds, the draft of an expired upload is looked for on a volume that may be away. */
const keepLooking = 30 * 86_400

/** Removes uploads whose time is up, with their drafts; those that are being sent right now have time. */
export async function clearUploads(uploads: Uploads): Promise<void> {
  const now = uploads.clock.unixSeconds()
  for (const upload of await uploads.store.expired(now)) {
    if (isAtWork(uploads, upload)) continue
    if ((await isDropped(uploads, upload)) || upload.expiresAt < now - keepLooking)
      // A row that cannot be deleted now leads nowhere, and goes the next time.
      await uploads.store.delete(upload.id).catch(() => {})
  }
}

/** Only its own node knows whether an upload receives bytes right now; other nodes leave it alone while that one lives. */
function isAtWork({ writers, node }: Uploads, upload: Upload): boolean {
  if (upload.node !== undefined && upload.node !== node.id) return node.isAlive(upload.node)
  return writers.isBusy(keyOf(upload))
}

async function isDropped({ storageAt }: Uploads, { scope, place, id }: Upload): Promise<boolean> {
  try {
    await storageAt(scope).dropDraft(place, id)
    return true
  } catch {
    return false
  }
}
