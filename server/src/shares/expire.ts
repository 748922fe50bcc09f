import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/schema.ts'
import { deleteShares, sharesExpiredBefore } from './store.ts'

/** In seconds. */
const keptAfterExpiry = 7 * 86_400
/** In milliseconds of the monotonic clock. */
const seenExpiredFor = 86_400_000

/**
 * Deletes shares that expired long ago. The time of day alone does not decide, because a clock that is wrong for a moment
 * must not end shares that have months to go: they have to be expired for a day of this process's running time as well.
 */
export function expirySweep(
  { db, clock }: { db: Kysely<Database>; clock: Clock },
  running: () => number = () => performance.now(),
): () => Promise<void> {
  let seenSince = new Map<string, number>()
  return async () => {
    const now = running()
    const expired = await sharesExpiredBefore(db, clock.unixSeconds() - keptAfterExpiry)
    seenSince = new Map(expired.map((hash) => [hash, seenSince.get(hash) ?? now]))
    await deleteShares(
      db,
      expired.filter((hash) => now - (seenSince.get(hash) ?? now) >= seenExpiredFor),
    )
  }
}

/** Runs the sweep at the start and then every so many seconds. */
export function expiryTimer(sweep: () => Promise<void>, seconds = 3600) {
  const run = () => void sweep().catch(() => {})
  let timer: NodeJS.Timeout | undefined
  return {
    start(): void {
      clearInterval(timer)
      timer = setInterval(run, seconds * 1000).unref()
      run()
    },
    stop: () => clearInterval(timer),
  }
}
