import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import { limitOf } from '../concurrency/limit.ts'
import type { AttemptRow, Database } from '../database/schema.ts'
import { Failure, isFailure } from '../failure.ts'
import { networkOf, type Source, widerNetworkOf } from '../http/networks.ts'
import {
  chargeAttempt,
  clearAttempts,
  countAttempt,
  forgetAttempts,
  recentAttempts,
  unchargeAttempt,
  uncountAttempt,
} from './store.ts'

/** A secret that is tried, and from where. */
export interface Guess {
  kind: 'login' | 'share'
  /** Whose secret: the name of an account, the hash of a link. */
  of: string
  from: Source
  /** Has the owner signed in from this network before? Asked only where a bucket is full. */
  isKnownHere?(): Promise<boolean>
  /** The check is too expensive to be made only so that a refusal takes the same time. */
  isCostly?: boolean
}

/** Slows the guessing of passwords down. */
export interface Throttle {
  /** Runs a check of a secret that can be tried without signing in. */
  guard<T>(guess: Guess, check: () => Promise<T>): Promise<T>
  /**
   * Runs something that must not be tried again and again: after ten failures in a row the next try has to wait, each
   * time longer. With `counts`, only such failures count, and a success in between does not start the count anew.
   */
  guardOne<T>(target: string, check: () => Promise<T>, options?: GuardOptions): Promise<T>
}

interface GuardOptions {
  counts?: (error: unknown) => boolean
  /** The target is shared by many clients, so that the waits are short. */
  isShared?: boolean
}

/** Exponential backoff for failures in a row. In seconds, after `free` failures without a wait. */
interface Backoff {
  free: number
  firstWait: number
  longestWait: number
}

/** In seconds: failures in a row are forgotten after so long without another. */
const memory = 600

/** A leaky bucket of failures: it holds `most`, and one leaks out every `step` seconds. */
interface Bucket {
  most: number
  step: number
}

/** The rules of each of so many processes that count by themselves: together they allow as much as one. */
function rulesFor(processes: number) {
  const part = (count: number) => Math.ceil(count / processes)
  const backoff = (free: number, firstWait: number, longestWait: number): Backoff => ({
    free: part(free),
    firstWait: firstWait * processes,
    longestWait: longestWait * processes,
  })
  const bucket = (most: number, step: number): Bucket => ({ most: part(most), step: step * processes })
  return {
    ordinary: backoff(10, 30, 3600),
    /** For an address that many clients share: one of them must not lock the others out of an account for an hour. */
    shared: backoff(10, 2, 60),
    ofNetwork: bucket(50, 12),
    ofWiderNetwork: bucket(200, 3),
    ofOwner: bucket(50, 12),
    /** So many tries a network has for an account, however full the account's bucket is: its owner may be there. */
    alwaysFree: part(3),
  }
}

const clearEvery = 60

/** A try is counted before its outcome is known: many guesses at once are many guesses, not one. */
interface CountedTry {
  succeed(): Promise<void>
  fail(): Promise<void>
  /** It was no guess. */
  cancel(): Promise<void>
}

/**
 * So many guesses of one secret from one network, or tries of one target, are checked at once. All of them count until
 * their outcome is known, and an owner who signs in with ten programs at once, or makes ten accounts, must not be taken for
 * an attacker.
 */
const concurrentChecks = {
  what: 'sign-ins',
  most: Number.POSITIVE_INFINITY,
  mostPerKey: 4,
  mostWaiting: 1000,
  mostWaitingPerKey: 100,
}
const neverAborts = { signal: new AbortController().signal }

interface ThrottleOptions {
  mostRows?: number
  clearedAtOnce?: number
  /** So many processes check secrets. */
  processes?: number
  /** The others do not see what is counted here. */
  countsAlone?: boolean
}

export function throttleIn(
  { db, clock }: { db: Kysely<Database>; clock: Clock },
  { mostRows = 100_000, clearedAtOnce = 1000, processes = 1, countsAlone = false }: ThrottleOptions = {},
): Throttle {
  let clearedAt = Number.NEGATIVE_INFINITY
  const checks = limitOf({ ...concurrentChecks, mostPerKey: Math.ceil(concurrentChecks.mostPerKey / processes) })
  const { ordinary, shared, ofNetwork, ofWiderNetwork, ofOwner, alwaysFree } = rulesFor(countsAlone ? processes : 1)

  return {
    async guard(guess, check) {
      const { kind, of, from } = guess
      using _permit = await checks.enter(keyOf(`${kind} ${of} from ${networkOf(from.address)}`), neverAborts)
      await clear()
      const counted: CountedTry[] = []
      try {
        const isFresh = await countInARow(guess, counted)
        const wider = widerNetworkOf(from.address)
        const waits = [
          await charge(`${kind} from ${networkOf(from.address)}`, ofNetwork, counted),
          wider === undefined ? 0 : await charge(`${kind} from ${wider}`, ofWiderNetwork, counted),
        ]
        const ofThisOwner = await charge(`${kind} ${of} from anywhere`, ofOwner, counted)
        const over = Math.max(...waits, isFresh ? 0 : ofThisOwner)
        const result = over === 0 ? await check() : await checkThough(over, guess, check)
        for (const one of counted) await one.succeed()
        return result
      } catch (error) {
        for (const one of counted) await (isGuess(error) ? one.fail() : one.cancel())
        throw error instanceof Discarded ? error.refusal : error
      }
    },

    async guardOne(target, check, { counts, isShared = false } = {}) {
      using _permit = await checks.enter(keyOf(target), neverAborts)
      await clear()
      const { counted } = await countOne(target, isShared ? shared : ordinary)
      try {
        const result = await check()
        await (counts === undefined ? counted.succeed() : counted.cancel())
        return result
      } catch (error) {
        const isCounted = counts === undefined ? isGuess(error) : counts(error)
        await (isCounted ? counted.fail() : counted.cancel())
        throw error
      }
    },
  }

  /** True while the network has tries left that no other network can use up. */
  async function countInARow({ kind, of, from }: Guess, counted: CountedTry[]): Promise<boolean> {
    const target = `${kind} ${of} from ${networkOf(from.address)}`
    const sharedTarget = `${target}, shared`
    // Adding or leaving out a forwarding header must not start another count.
    await (from.isShared ? requireUnblocked(target, ordinary) : requireUnblocked(sharedTarget, shared))
    if (!from.isShared) {
      const own = await countOne(target, ordinary)
      counted.push(own.counted)
      return own.tries <= alwaysFree
    }
    if (from.claimed === '') {
      counted.push((await countOne(sharedTarget, shared)).counted)
      return false
    }
    // A client can claim any address, so once there are two claims every try counts for all; yet a client that claims one
    // address, the true one, is slowed down alone.
    const own = await countOne(`${target} for ${networkOf(from.claimed)}`, ordinary)
    counted.push(own.counted)
    const all = await requireUnblocked(sharedTarget, shared)
    if (own.tries === 1 || all > 1) counted.push((await countOne(sharedTarget, shared)).counted)
    return own.tries <= alwaysFree
  }

  /** The wait begins before the outcome is known, so that nothing else gets in meanwhile. */
  async function countOne(target: string, backoff: Backoff): Promise<{ tries: number; counted: CountedTry }> {
    const now = clock.unixSeconds()
    const key = keyOf(target)
    const tries = await countAttempt(db, key, (before) => {
      requirePast(before, now, backoff)
      const { failures, last_at } = before ?? { failures: 0, last_at: now }
      const isForgotten = last_at < now - memory - waitAfter(failures, backoff) || last_at > now + memory
      const next = isForgotten ? 1 : failures + 1
      const wait = waitAfter(next, backoff)
      return { failures: next, last_at: now, blocked_until: wait === 0 ? 0 : now + wait }
    })
    const counted: CountedTry = {
      succeed: () => forgetAttempts(db, key),
      fail: async () => {},
      cancel: () => uncountAttempt(db, key),
    }
    return { tries, counted }
  }

  /** How many failed in a row. */
  async function requireUnblocked(target: string, backoff: Backoff): Promise<number> {
    const before = await recentAttempts(db, keyOf(target))
    requirePast(before, clock.unixSeconds(), backoff)
    return before?.failures ?? 0
  }

  /** 0, or how many seconds there are to wait because the bucket is full. */
  async function charge(target: string, { most, step }: Bucket, counted: CountedTry[]): Promise<number> {
    const now = clock.unixSeconds()
    const key = keyOf(target)
    if (await chargeAttempt(db, key, { now, step, most: most * step })) {
      const cancel = () => unchargeAttempt(db, key, step)
      counted.push({ succeed: cancel, fail: async () => {}, cancel })
      return 0
    }
    const full = (await recentAttempts(db, key))?.blocked_until ?? now
    return Math.max(1, full + step - now - most * step)
  }

  /**
   * A bucket is full, of this network or of this account: only an owner who has signed in from here before gets in. All
   * others are refused after the same time, so that the time does not tell which of the two it was.
   */
  async function checkThough<T>(wait: number, { isKnownHere, isCostly }: Guess, check: () => Promise<T>): Promise<T> {
    if (isKnownHere === undefined || (isCostly && !(await isKnownHere()))) throw new Discarded(tooMany(wait), false)
    const result = await check().catch((error) => {
      throw new Discarded(tooMany(wait), isGuess(error))
    })
    if (await isKnownHere()) return result
    throw new Discarded(tooMany(wait), true)
  }

  /** A failure to clear old rows refuses no sign-in; they are cleared later. */
  async function clear(): Promise<void> {
    const now = clock.unixSeconds()
    if (Math.abs(now - clearedAt) < clearEvery) return
    const longest = memory + ordinary.longestWait
    const limits = { before: now - longest, after: now + longest, most: mostRows, atOnce: clearedAtOnce }
    const isDone = await clearAttempts(db, limits).catch(() => true)
    if (isDone) clearedAt = now
  }
}

/** A wait longer than the longest was written while the clock was wrong, and does not count. */
function requirePast(before: AttemptRow | undefined, now: number, { longestWait }: Backoff): void {
  const wait = (before?.blocked_until ?? 0) - now
  if (wait > 0 && wait <= longestWait) throw tooMany(wait)
}

/** A check whose outcome is not told. It counts as wrong whatever it was, since the count could be observed. */
class Discarded extends Error {
  constructor(
    readonly refusal: Failure,
    readonly wasGuess: boolean,
  ) {
    super(refusal.message)
  }
}

/** No secret was compared for a client that left before, or that was refused for lack of a permit. */
function isGuess(error: unknown): boolean {
  if (error instanceof Discarded) return error.wasGuess
  const hasLeft = error instanceof Error && error.name === 'AbortError'
  return !hasLeft && !isFailure(error, 'unavailable', 'too-many-tries')
}

/** For servers with another throttle in front, by an option. */
export const noThrottle: Throttle = {
  guard: (_guess, check) => check(),
  guardOne: (_target, check) => check(),
}

/** Of one length, whatever was tried, so that long names do not fill the disk. */
const keyOf = (target: string): string => createHash('sha256').update(target).digest('base64url')

const tooMany = (retryAfter: number) => new Failure('too-many-tries', 'Too many wrong passwords', { retryAfter })

const waitAfter = (failures: number, { free, firstWait, longestWait }: Backoff): number =>
  failures < free ? 0 : Math.min(firstWait * 2 ** (failures - free), longestWait)
