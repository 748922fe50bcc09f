import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { forgetAttempts, noteAttempts, recentAttempts } from './store.ts'

/** Makes guessing slow: after ten wrong passwords in a row the next try has to wait, each time longer. */
export interface Throttle {
  /** Runs a check of a secret; `target` is what it protects and from where it is tried. */
  guard<T>(target: string, check: () => Promise<T>): Promise<T>
}

const free = 10
const memory = 600
const firstWait = 30
const longestWait = 3600

export function throttleIn({ db, clock }: { db: Kysely<Database>; clock: Clock }): Throttle {
  return {
    async guard(target, check) {
      const now = clock.unixSeconds()
      const before = await recentAttempts(db, target)
      if (before !== undefined && before.blocked_until > now)
        throw new Failure('too-many-tries', 'Too many wrong passwords', { retryAfter: before.blocked_until - now })
      try {
        const result = await check()
        if (before !== undefined) await forgetAttempts(db, target)
        return result
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        const failures =
          before !== undefined && now - before.last_at <= memory + waitAfter(before.failures) ? before.failures + 1 : 1
        const wait = waitAfter(failures)
        await noteAttempts(
          db,
          { target, failures, last_at: now, blocked_until: wait === 0 ? 0 : now + wait },
          now - longestWait - memory,
        )
        throw error
      }
    },
  }
}

/** For those who have another guard in front, and for nobody else. */
export const noThrottle: Throttle = { guard: (_target, check) => check() }

const waitAfter = (failures: number): number =>
  failures < free ? 0 : Math.min(firstWait * 2 ** (failures - free), longestWait)
