import type { Kysely } from 'kysely'
import { DatabaseRefusal, durable, transaction } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import type { Write } from './follower.ts'

/** Resolves when the rows are committed and survive a power cut. Fails with `UnsyncedCommit` where only the latter failed. */
export type Commit = (write: Write) => Promise<void>

/** The rows are committed, and may be gone after a power cut. */
export class UnsyncedCommit extends Error {
  override readonly name = 'UnsyncedCommit'

  constructor(cause: unknown) {
    super('The rows are stored, but the disk did not take them', { cause })
  }
}

interface Queued {
  readonly write: Write
  resolve(): void
  reject(error: unknown): void
}

/** So many writes share a transaction; all other writes wait for its end. */
const mostAtOnce = 100

/** Group commit: what comes while a transaction is being synced shares the next one, and its one sync. */
export function groupCommit(db: Kysely<Database>): Commit {
  const queue: Queued[] = []
  let isRunning = false

  const commit = (writes: readonly Queued[]): Promise<void> =>
    transaction(db, 'read committed', async (trx) => {
      for (const { write } of writes) await write(trx)
    })

  async function commitAll(group: readonly Queued[]): Promise<void> {
    let committed = group
    try {
      await commit(group)
    } catch (error) {
      committed = group.length === 1 || concernsAll(error) ? refuse(group, error) : await eachAlone(group)
    }
    if (committed.length === 0) return
    try {
      await durable(db)
      for (const { resolve } of committed) resolve()
    } catch (error) {
      refuse(committed, new UnsyncedCommit(error))
    }
  }

  /** One of them may be refused for a reason of its own, or need more room than there is. */
  async function eachAlone(group: readonly Queued[]): Promise<Queued[]> {
    const committed: Queued[] = []
    for (const one of group) {
      try {
        await commit([one])
        committed.push(one)
      } catch (error) {
        one.reject(error)
      }
    }
    return committed
  }

  async function run(): Promise<void> {
    isRunning = true
    while (queue.length > 0) await commitAll(queue.splice(0, mostAtOnce))
    isRunning = false
  }

  return (write) =>
    new Promise((resolve, reject) => {
      queue.push({ write, resolve, reject })
      if (!isRunning) void run()
    })
}

/** A lock that another process holds, or a disk that cannot be written, refuses each of them alone as well. */
const concernsAll = (error: unknown): boolean => error instanceof DatabaseRefusal && error.problem !== 'full'

function refuse(group: readonly Queued[], error: unknown): Queued[] {
  for (const { reject } of group) reject(error)
  return []
}
