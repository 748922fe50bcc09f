import type { Kysely } from 'kysely'
import { durable, transaction } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import type { Write } from './follower.ts'

/** Resolves when the rows are committed and survive a power cut. */
export type Commit = (write: Write) => Promise<void>

interface Waiting {
  readonly write: Write
  resolve(): void
  reject(error: unknown): void
}

/** So many writes share a transaction; all other writes wait for its end. */
const mostAtOnce = 100

/** Group commit: what comes while a transaction is being synced shares the next one, and its one sync. */
export function groupCommit(db: Kysely<Database>): Commit {
  const queue: Waiting[] = []
  let isRunning = false

  const commit = (writes: readonly Waiting[]): Promise<void> =>
    transaction(db, 'read committed', async (trx) => {
      for (const { write } of writes) await write(trx)
    })

  async function commitAll(group: readonly Waiting[]): Promise<void> {
    let committed = group
    try {
      await commit(group)
    } catch (error) {
      // One of them may be refused for a reason of its own.
      committed = group.length === 1 ? refuse(group, error) : await eachAlone(group)
    }
    if (committed.length === 0) return
    try {
      await durable(db)
      for (const { resolve } of committed) resolve()
    } catch (error) {
      refuse(committed, error)
    }
  }

  async function eachAlone(group: readonly Waiting[]): Promise<Waiting[]> {
    const committed: Waiting[] = []
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

function refuse(group: readonly Waiting[], error: unknown): Waiting[] {
  for (const { reject } of group) reject(error)
  return []
}
