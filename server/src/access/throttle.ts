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
  /** Has the owner been let in from this network before? Asked only where too many are wrong. */
  isKnownHere?(): Promise<boolean>
  /** To check it costs so much that it must not be done just to look busy. */
  isCostly?: boolean
}

/** Makes guessing slow. */
export interface Throttle {
  /** Runs a check of a secret that anybody may try. */
  guard<T>(guess: Guess, check: () => Promise<T>): Promise<T>
  /**
   * Runs something that must not be tried again and again: after ten failures in a row the next try has to wait, each
   * time longer. With `counts`, only such failures count, and a success in between does not start the count anew.
   */
  guardOne<T>(target: string, check: () => Promise<T>, options?: GuardOptions): Promise<T>
}

interface GuardOptions {
  counts?: (error: unknown) => boolean
  /** Many people try it together: they wait less. */
  isShared?: boolean
}

/** How tries in a row are slowed down. */
interface Pace {
  free: number
  firstWait: number
  longestWait: number
}

const memory = 600
const ordinary: Pace = { free: 10, firstWait: 30, longestWait: 3600 }
/** For an address that many people have: nobody may keep all of them from an account for an hour. */
const shared: Pace = { free: 10, firstWait: 2, longestWait: 60 }

/** How many wrong ones of late are too many: these, and one more for every `step` seconds. */
interface Allowance {
  most: number
  step: number
}

const ofNetwork: Allowance = { most: 50, step: 12 }
const ofWiderNetwork: Allowance = { most: 200, step: 3 }
const ofOwner: Allowance = { most: 50, step: 12 }
/** So many tries a network has for an account, however many others are wrong about it: its owner may be there. */
const alwaysFree = 3

const clearEvery = 60

/** Something that was counted before its outcome is known: many guesses at once are many guesses, not one. */
interface Counted {
  succeed(): Promise<void>
  fail(): Promise<void>
  /** It was no guess. */
  takeBack(): Promise<void>
}

/**
 * So many guesses of one secret from one network are under way at once. All of them count until their outcome is known,
 * and an owner who signs in with ten programs at once must not be taken for somebody who guesses.
 */
const underWay = {
  what: 'sign-ins',
  most: Number.POSITIVE_INFINITY,
  mostPerKey: 4,
  mostWaiting: 1000,
  mostWaitingPerKey: 100,
}
const nobodyLeaves = { signal: new AbortController().signal }

export function throttleIn(
  { db, clock }: { db: Kysely<Database>; clock: Clock },
  { mostRows = 100_000, clearedAtOnce = 1000 } = {},
): Throttle {
  let clearedAt = Number.NEGATIVE_INFINITY
  const places = limitOf(underWay)

  return {
    async guard(guess, check) {
      const { kind, of, from } = guess
      using _place = await places.enter(keyOf(`${kind} ${of} from ${networkOf(from.address)}`), nobodyLeaves)
      await clear()
      const counted: Counted[] = []
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
        for (const one of counted) await (isGuess(error) ? one.fail() : one.takeBack())
        throw error instanceof Discarded ? error.refusal : error
      }
    },

    async guardOne(target, check, { counts, isShared = false } = {}) {
      await clear()
      const { counted } = await countOne(target, isShared ? shared : ordinary)
      try {
        const result = await check()
        await (counts === undefined ? counted.succeed() : counted.takeBack())
        return result
      } catch (error) {
        const isCounted = counts === undefined ? isGuess(error) : counts(error)
        await (isCounted ? counted.fail() : counted.takeBack())
        throw error
      }
    },
  }

  /** True while the network has tries that nobody else can use up. */
  async function countInARow({ kind, of, from }: Guess, counted: Counted[]): Promise<boolean> {
    const target = `${kind} ${of} from ${networkOf(from.address)}`
    const everybody = `${target}, shared`
    // To write a header, or to leave it out, makes nobody another.
    await (from.isShared ? requireUnblocked(target, ordinary) : requireUnblocked(everybody, shared))
    if (!from.isShared) {
      const own = await countOne(target, ordinary)
      counted.push(own.counted)
      return own.tries <= alwaysFree
    }
    if (from.claimed === '') {
      counted.push((await countOne(everybody, shared)).counted)
      return false
    }
    // Anybody can write what is claimed, so once there are two claims every try counts for all; yet one who tells the truth
    // is slowed down alone.
    const own = await countOne(`${target} for ${networkOf(from.claimed)}`, ordinary)
    counted.push(own.counted)
    const all = await requireUnblocked(everybody, shared)
    if (own.tries === 1 || all > 1) counted.push((await countOne(everybody, shared)).counted)
    return own.tries <= alwaysFree
  }

  /** The wait begins before the outcome is known, so that nothing else gets in meanwhile. */
  async function countOne(target: string, pace: Pace): Promise<{ tries: number; counted: Counted }> {
    const now = clock.unixSeconds()
    const key = keyOf(target)
    const tries = await countAttempt(db, key, (before) => {
      requirePast(before, now, pace)
      const { failures, last_at } = before ?? { failures: 0, last_at: now }
      const isForgotten = last_at < now - memory - waitAfter(failures, pace) || last_at > now + memory
      const next = isForgotten ? 1 : failures + 1
      const wait = waitAfter(next, pace)
      return { failures: next, last_at: now, blocked_until: wait === 0 ? 0 : now + wait }
    })
    const counted: Counted = {
      succeed: () => forgetAttempts(db, key),
      fail: async () => {},
      takeBack: () => uncountAttempt(db, key),
    }
    return { tries, counted }
  }

  /** How many failed in a row. */
  async function requireUnblocked(target: string, pace: Pace): Promise<number> {
    const before = await recentAttempts(db, keyOf(target))
    requirePast(before, clock.unixSeconds(), pace)
    return before?.failures ?? 0
  }

  /** 0, or how many seconds there are to wait because too many were wrong of late. */
  async function charge(target: string, { most, step }: Allowance, counted: Counted[]): Promise<number> {
    const now = clock.unixSeconds()
    const key = keyOf(target)
    if (await chargeAttempt(db, key, { now, step, most: most * step })) {
      const takeBack = () => unchargeAttempt(db, key, step)
      counted.push({ succeed: takeBack, fail: async () => {}, takeBack })
      return 0
    }
    const full = (await recentAttempts(db, key))?.blocked_until ?? now
    return Math.max(1, full + step - now - most * step)
  }

  /**
   * Too many were wrong of late, from here or about this account: only an owner who has been let in from here before is.
   * Everybody else is refused after the same time, or one could tell from it who that is.
   */
  async function checkThough<T>(wait: number, { isKnownHere, isCostly }: Guess, check: () => Promise<T>): Promise<T> {
    if (isKnownHere === undefined || (isCostly && !(await isKnownHere()))) throw new Discarded(tooMany(wait), false)
    const result = await check().catch((error) => {
      throw new Discarded(tooMany(wait), isGuess(error))
    })
    if (await isKnownHere()) return result
    throw new Discarded(tooMany(wait), true)
  }

  /** What cannot be cleared away now can be later; nobody is kept out for that. */
  async function clear(): Promise<void> {
    const now = clock.unixSeconds()
    if (Math.abs(now - clearedAt) < clearEvery) return
    const longest = memory + ordinary.longestWait
    const limits = { before: now - longest, after: now + longest, most: mostRows, atOnce: clearedAtOnce }
    const isDone = await clearAttempts(db, limits).catch(() => true)
    if (isDone) clearedAt = now
  }
}

/** A wait that is longer than any was meant by a clock that was wrong. */
function requirePast(before: AttemptRow | undefined, now: number, { longestWait }: Pace): void {
  const wait = (before?.blocked_until ?? 0) - now
  if (wait > 0 && wait <= longestWait) throw tooMany(wait)
}

/** A check whose outcome is not told. It counts as wrong whatever it was, or that would tell. */
class Discarded extends Error {
  constructor(
    readonly refusal: Failure,
    readonly wasGuess: boolean,
  ) {
    super(refusal.message)
  }
}

/** Nothing was compared for somebody who left before, or for whom there was no place. */
function isGuess(error: unknown): boolean {
  if (error instanceof Discarded) return error.wasGuess
  const hasLeft = error instanceof Error && error.name === 'AbortError'
  return !hasLeft && !isFailure(error, 'unavailable') && !isFailure(error, 'too-many-tries')
}

/** For those who have another guard in front, and for nobody else. */
export const noThrottle: Throttle = {
  guard: (_guess, check) => check(),
  guardOne: (_target, check) => check(),
}

/** Of one length, whatever was tried: nobody fills the disk with long names. */
const keyOf = (target: string): string => createHash('sha256').update(target).digest('base64url')

const tooMany = (retryAfter: number) => new Failure('too-many-tries', 'Too many wrong passwords', { retryAfter })

const waitAfter = (failures: number, { free, firstWait, longestWait }: Pace): number =>
  failures < free ? 0 : Math.min(firstWait * 2 ** (failures - free), longestWait)
