import { atPlace } from './places.ts'
import { keyOf, type Upload } from './store.ts'
import { isOfOther, type Uploads } from './uploads.ts'

/** How long, in seconds, the draft of an expired upload is tried for on a volume that may not be mounted. */
const keepTrying = 30 * 86_400

/** In milliseconds of the monotonic clock. */
const usualDelay = 600_000

interface ExpiryOptions {
  /** How long an upload has to be expired, in milliseconds that `running` counts. */
  readonly delay?: number | undefined
  readonly running?: () => number
}

/**
 * Each run removes expired uploads and their drafts, except those that receive bytes right now. The time of day alone does
 * not decide, because a clock that is wrong for a moment must not cost what has arrived.
 */
export function uploadExpiry(
  uploads: Uploads,
  { delay = usualDelay, running = () => performance.now() }: ExpiryOptions = {},
): () => Promise<void> {
  const { store, clock } = uploads
  let seenSince = new Map<string, number>()
  return async () => {
    const now = clock.unixSeconds()
    const expired = await store.expired(now)
    const seenAt = running()
    seenSince = new Map(expired.map(({ id }) => [id, seenSince.get(id) ?? seenAt]))
    for (const { id, expiresAt } of expired) {
      const isCancelled = expiresAt === 0
      if (isCancelled || seenAt - (seenSince.get(id) ?? seenAt) >= delay) await removeExpired(uploads, id, now)
    }
  }
}

const removeExpired = (uploads: Uploads, id: string, now: number): Promise<void> =>
  uploads.locks.withDraft(id, async () => {
    const { store } = uploads
    // The drafts before it may have taken long: a client may have gone on with this upload and prolonged it.
    const upload = await store.withId(id)
    if (upload === undefined || upload.expiresAt > now || isReceiving(uploads, upload)) return
    if (!(await isDraftRemoved(uploads, upload)) && upload.expiresAt >= now - keepTrying) return
    // A row that cannot be deleted now is deleted by a later run.
    await store.delete(upload.id).catch(() => {})
    uploads.telling.ended(upload)
  })

/** Only its own node knows whether an upload receives bytes; the others leave it alone while that node is alive. */
const isReceiving = (uploads: Uploads, upload: Upload): boolean =>
  isOfOther(uploads, upload) || uploads.locks.isLocked(keyOf(upload))

async function isDraftRemoved({ storageAt }: Uploads, { place, id }: Upload): Promise<boolean> {
  try {
    await atPlace(storageAt, place, (storage, path) => storage.dropDraft(path, id))
    return true
  } catch {
    return false
  }
}
