import { isInside } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { isUnwritable } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import type { Log } from '../log/log.ts'
import { rebase, type VirtualPath } from '../storage/path.ts'
import { type Outcome, putInDoubt, type Share, settleShares, shareWithHash } from './store.ts'

/**
 * Shares whose file is under way, or has arrived and the database could not be told. The row says so too, for the time
 * after a crash, but a database that cannot be written must not keep a file from being removed: that may be what makes
 * room for it.
 */
export interface Doubts {
  has(hash: string): boolean
  /**
   * Deleting makes room on a full disk: with `mayGoUnwritten` it goes on when that cannot be stored now. A database that
   * was replaced would never learn of it, and its links would show what comes next.
   */
  begin(shares: readonly Share[], options: { mayGoUnwritten: boolean }): Promise<void>
  /** What became of them. What cannot be stored is tried again; until then they show nothing. */
  settle(outcomes: readonly Outcome[]): Promise<void>
  /** Stores what waits. What still waits and lies at one of these places must not come back: it is about to move again. */
  settleBefore(places: readonly VirtualPath[]): Promise<void>
  stop(): void
}

/** In milliseconds. */
const tryAgainAfter = 10_000

export function doubtsIn(
  db: Kysely<Database>,
  log: Pick<Log, 'warn'>,
  { node, retryAfter = tryAgainAfter }: { node: string; retryAfter?: number },
): Doubts {
  const inDoubt = new Map<string, Share>()
  const waiting = new Map<string, Outcome>()
  /** Their rows could not be told that they are in doubt. */
  const unwritten = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  async function store(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (waiting.size === 0) return
    const outcomes = [...waiting.values()]
    try {
      await settleShares(db, outcomes)
      for (const outcome of outcomes) {
        if (waiting.get(outcome.hash) !== outcome) continue
        waiting.delete(outcome.hash)
        forget(outcome.hash)
      }
    } catch (error) {
      log.warn({ err: error, shares: outcomes.length }, 'Where shares have gone could not be stored; they stay shut')
      timer ??= setTimeout(() => void store(), retryAfter).unref()
    }
  }

  function forget(hash: string): void {
    inDoubt.delete(hash)
    unwritten.delete(hash)
  }

  async function note(outcome: Outcome): Promise<void> {
    const { hash } = outcome
    const earlier = waiting.get(hash)
    // What is gone does not come back with what stands at its path now.
    if (earlier !== undefined && earlier.path === undefined) return
    if (earlier === undefined && unwritten.has(hash) && (await isStored(outcome))) forget(hash)
    else waiting.set(hash, outcome)
  }

  /** A row that could not be told of the doubt, and whose file stayed, need not be told that it did. */
  async function isStored({ hash, path }: Outcome): Promise<boolean> {
    const share = await shareWithHash(db, hash).catch(() => undefined)
    return share !== undefined && !share.isInDoubt && share.link.path === path
  }

  return {
    has: (hash) => inDoubt.has(hash),
    async begin(shares, { mayGoUnwritten }) {
      for (const share of shares) inDoubt.set(share.link.hash, share)
      try {
        await putInDoubt(
          db,
          shares.map(({ link }) => link.hash),
          node,
        )
        for (const { link } of shares) unwritten.delete(link.hash)
      } catch (error) {
        if (!mayGoUnwritten || !isUnwritable(error)) {
          for (const { link } of shares) if (!waiting.has(link.hash)) forget(link.hash)
          throw error
        }
        for (const { link } of shares) unwritten.add(link.hash)
        log.warn({ err: error, shares: shares.length }, 'That shares are in doubt could not be stored')
      }
    },
    async settle(outcomes) {
      for (const outcome of outcomes) await note(outcome)
      await store()
    },
    async settleBefore(places) {
      if (waiting.size === 0) return
      await store()
      for (const { hash, path } of [...waiting.values()]) {
        const scope = inDoubt.get(hash)?.scope
        if (path === undefined || scope === undefined) continue
        const place = rebase(scope, path as VirtualPath)
        if (places.some((moved) => isInside(place, moved))) waiting.set(hash, { hash, path: undefined })
      }
    },
    stop: () => clearTimeout(timer),
  }
}
