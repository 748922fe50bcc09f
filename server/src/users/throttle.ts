import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { blockAttempts, countAttempt, forgetAttempts, recentAttempts } from './store.ts'

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
      if (before !== undefined && before.blocked_until > now) throw tooMany(before.blocked_until - now)
      // Counted before it is checked: many guesses at once are many guesses, not one.
      const forgottenAt = now - memory - waitAfter(before?.failures ?? 0)
      const tries = await countAttempt(db, target, { now, forgottenAt })
      const expected = before === undefined || before.last_at < forgottenAt ? 1 : before.failures + 1
      if (tries > free && tries !== expected) throw tooMany(waitAfter(tries))
      try {
        const result = await check()
        await forgetAttempts(db, target)
        return result
      } catch (error) {
        const wait = waitAfter(tries)
        if (wait > 0) await blockAttempts(db, target, now + wait)
        throw error
      }
    },
  }
}

/** Where a try comes from: whoever has one IPv6 address has as many as they like, all of one network. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [front = '', back = ''] = address.split('::')
  const [before, after] = [front.split(':').filter(Boolean), back.split(':').filter(Boolean)]
  const gap = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  return `${[...before, ...gap, ...after].slice(0, 4).join(':')}::/64`
}

/** For those who have another guard in front, and for nobody else. */
export const noThrottle: Throttle = { guard: (_target, check) => check() }

const tooMany = (retryAfter: number) => new Failure('too-many-tries', 'Too many wrong passwords', { retryAfter })

const waitAfter = (failures: number): number =>
  failures < free ? 0 : Math.min(firstWait * 2 ** (failures - free), longestWait)
