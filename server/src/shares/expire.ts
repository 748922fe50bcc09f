import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/schema.ts'
import { deleteShares, sharesExpiredBefore } from './store.ts'

/** In seconds. */
const keptAfterwards = 7 * 86_400
/** In milliseconds of a clock that cannot be set. */
const seenFor = 86_400_000

/**
 * Deletes shares that expired long ago. The time of day alone does not decide: a clock that is wrong for a moment must not
 * end shares that have months to go, so they have to be expired for a day of this process's running time as well.
 */
export function expirySweep(
  { db, clock }: { db: Kysely<Database>; clock: Clock },
  running: () => number = () => performance.now(),
): () => Promise<void> {
  let seen = new Map<string, number>()
  return async () => {
    const now = running()
    const over = await sharesExpiredBefore(db, clock.unixSeconds() - keptAfterwards)
    seen = new Map(over.map((hash) => [hash, seen.get(hash) ?? now]))
    await deleteShares(
      db,
      over.filter((hash) => now - (seen.get(hash) ?? now) >= seenFor),
    )
  }
}

/** Repeats the sweep every so many seconds. */
export function clearingShares(sweep: () => Promise<void>, seconds = 3600) {
  const clear = () => void sweep().catch(() => {})
  let timer: NodeJS.Timeout | undefined
  return {
    start(): void {
      clearInterval(timer)
      timer = setInterval(clear, seconds * 1000).unref()
      clear()
    },
    stop: () => clearInterval(timer),
  }
}
