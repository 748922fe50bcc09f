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
      await uploads.store.delete(upload.id)
  }
}

/** Only its own node knows who sends to an upload right now, so another one leaves it alone as long as that node lives. */
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

/** Clears at once and from then on every now and then. */
export function clearingOf(uploads: Uploads, seconds = 600) {
  let timer: NodeJS.Timeout | undefined
  return {
    async start(): Promise<void> {
      clearInterval(timer)
      // What could not be cleared is there the next time, too.
      timer = setInterval(() => void clearUploads(uploads).catch(() => {}), seconds * 1000)
      timer.unref()
      await clearUploads(uploads)
    },
    stop: () => clearInterval(timer),
  }
}
