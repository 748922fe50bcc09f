import type { Kysely } from 'kysely'
import type { Database } from '../database/schema.ts'

/**
 * What became of shares while nothing could be written, because the disk of the database is full or read-only. It counts
 * for everybody who asks this process, until it is written down.
 */
interface Unwritten {
  /** The path that a share has, or none if it is gone; undefined for shares whose row tells the truth. */
  of(hash: string): { path: string | undefined } | undefined
  hold(outcomes: readonly Outcome[]): void
  forget(hashes: readonly string[]): void
  /** Tries to write every now and then, until nothing is left. */
  writeLater(write: (outcomes: readonly Outcome[]) => Promise<void>): void
}

export interface Outcome {
  readonly hash: string
  readonly path: string | undefined
}

const retryAfter = 5000
const byDatabase = new WeakMap<Kysely<Database>, Unwritten>()

export function unwrittenOf(db: Kysely<Database>): Unwritten {
  const known = byDatabase.get(db) ?? unwritten()
  byDatabase.set(db, known)
  return known
}

function unwritten(): Unwritten {
  const held = new Map<string, string | undefined>()
  let isWaiting = false
  const self: Unwritten = {
    of: (hash) => (held.has(hash) ? { path: held.get(hash) } : undefined),
    hold(outcomes) {
      for (const { hash, path } of outcomes) held.set(hash, path)
    },
    forget(hashes) {
      for (const hash of hashes) held.delete(hash)
    },
    writeLater(write) {
      if (isWaiting || held.size === 0) return
      isWaiting = true
      const attempt = async () => {
        isWaiting = false
        const outcomes = [...held].map(([hash, path]) => ({ hash, path }))
        await write(outcomes).then(
          () => {
            // Another change may have come in between; its outcome is still to be written.
            for (const { hash, path } of outcomes) if (held.get(hash) === path) held.delete(hash)
          },
          () => {},
        )
        self.writeLater(write)
      }
      setTimeout(() => void attempt(), retryAfter).unref()
    },
  }
  return self
}
