import type { Connections } from './connections.ts'

interface Queued {
  ask(): unknown
  resolve(): void
  reject(error: unknown): void
}

export interface GroupedWrites {
  /** Resolves when the statement is committed. */
  add(ask: () => unknown): Promise<void>
  /** Waits for all that was added. */
  settled(): Promise<void>
}

/**
 * Statements of requests that the event loop serves in one turn share a transaction, and so the pages of the log, its locks
 * and the look at the file: for small uploads a third of what all their rows cost.
 */
export function groupedWrites({ writer, writeNow }: Pick<Connections, 'writer' | 'writeNow'>): GroupedWrites {
  let queue: Queued[] = []
  const under = new Set<Promise<void>>()

  function runAll(group: readonly Queued[]): void {
    writer.run('begin immediate', [])
    try {
      for (const { ask } of group) ask()
      writer.run('commit', [])
    } catch (error) {
      // SQLite undoes by itself what found no room on the disk.
      if (writer.sqlite.inTransaction) writer.run('rollback', [])
      throw error
    }
  }

  async function isDoneTogether(group: readonly Queued[]): Promise<boolean> {
    if (group.length === 1) return false
    try {
      await writeNow(() => runAll(group))
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
    for (const { ask, resolve, reject } of group) {
      try {
        if (!isDone) await writeNow(ask)
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
    add: (ask) =>
      new Promise((resolve, reject) => {
        queue.push({ ask, resolve, reject })
        if (queue.length === 1) setImmediate(start)
      }),
    async settled() {
      start()
      await Promise.all(under)
    },
  }
}
