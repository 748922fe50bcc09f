import type { Connections } from './connections.ts'

interface Queued {
  ask(): unknown
  resolve(): void
  reject(error: unknown): void
}

/**
 * Statements of requests that the event loop serves in one turn share a transaction, and so the pages of the log, its locks
 * and the look at the file: for small uploads a third of what all their rows cost.
 */
export function groupedWrites({
  writer,
  writeNow,
}: Pick<Connections, 'writer' | 'writeNow'>): (ask: () => unknown) => Promise<void> {
  let queue: Queued[] = []

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

  return (ask) =>
    new Promise((resolve, reject) => {
      queue.push({ ask, resolve, reject })
      if (queue.length === 1) setImmediate(() => void flush())
    })
}
