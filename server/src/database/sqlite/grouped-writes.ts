import type { KeptRows } from './commits.ts'
import type { Connections } from './connections.ts'

interface Queued {
  readonly sql: string
  /** Answers how many rows it has changed. */
  ask(): number
  resolve(): void
  reject(error: unknown): void
}

export interface GroupedWrites {
  /** Resolves when the statement is committed. */
  add(sql: string, ask: () => number): Promise<void>
  /** Waits for all that was added. */
  settled(): Promise<void>
}

/**
 * Statements of requests that the event loop serves in one turn share a transaction, and so the pages of the log, its locks
 * and the look at the file: for small uploads a third of what all their rows cost.
 */
export function groupedWrites(
  { writer, writeNow }: Pick<Connections, 'writer' | 'writeNow'>,
  kept: Pick<KeptRows, 'write'>,
): GroupedWrites {
  let queue: Queued[] = []
  const under = new Set<Promise<void>>()

  /** In one transaction. Answers how many rows each of them has changed. */
  function runAll(group: readonly Queued[]): number[] {
    writer.run('begin immediate', [])
    try {
      const changed = group.map(({ ask }) => ask())
      writer.run('commit', [])
      return changed
    } catch (error) {
      // SQLite undoes by itself what found no room on the disk.
      if (writer.sqlite.inTransaction) writer.run('rollback', [])
      throw error
    }
  }

  async function isDoneTogether(group: readonly Queued[]): Promise<boolean> {
    if (group.length === 1) return false
    try {
      await writeNow(() =>
        kept.write(
          group.map(({ sql }) => sql),
          () => runAll(group),
        ),
      )
      return true
    } catch {
      // Each one alone tells what is wrong with it, and keeps no other from being written.
      return false
    }
  }

  async function flush(): Promise<void> {
    const group = queue
    queue = []
    const isDone = await isDoneTogether(group)
    for (const { sql, ask, resolve, reject } of group) {
      try {
        if (!isDone) await writeNow(() => kept.write([sql], () => [ask()]))
        resolve()
      } catch (error) {
        reject(error)
      }
    }
  }

  function start(): void {
    if (queue.length === 0) return
    const flushing = flush().finally(() => under.delete(flushing))
    under.add(flushing)
  }

  return {
    add: (sql, ask) =>
      new Promise((resolve, reject) => {
        queue.push({ sql, ask, resolve, reject })
        if (queue.length === 1) setImmediate(start)
      }),
    async settled() {
      start()
      await Promise.all(under)
    },
  }
}
