import { changedTable, type KeptRows } from './commits.ts'
import type { Connections } from './connections.ts'

interface Queued {
  readonly sql: string
  readonly isLate: boolean
  /** Answers how many rows it has changed. */
  ask(): number
  resolve(): void
  reject(error: unknown): void
}

export interface GroupedWrites {
  /** Resolves when the statement is committed. */
  add(sql: string, ask: () => number): Promise<void>
  /** The same some milliseconds later, together with others. */
  addLater(sql: string, ask: () => number): Promise<void>
  /** Waits for what was added for later and may concern a query, or a transaction; undefined where that is nothing. */
  caughtUp(sql?: string): Promise<void> | undefined
  /** Waits for all that was added. */
  settled(): Promise<void>
}

/** In milliseconds: so long a statement waits for others. */
const longestWait = 10
/** So many wait for no others. */
const mostWaiting = 64

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
  /** Tables that something is added to later, and how much of that is not written yet. */
  const lateTables = new Set<string>()
  let late = 0
  let isDue = false
  let timer: Timer | undefined

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
    for (const { sql, isLate, ask, resolve, reject } of group) {
      try {
        if (!isDone) await writeNow(() => kept.write([sql], () => [ask()]))
        resolve()
      } catch (error) {
        reject(error)
      }
      if (isLate) late -= 1
    }
  }

  function start(): void {
    isDue = false
    clearTimeout(timer)
    timer = undefined
    if (queue.length === 0) return
    const flushing = flush().finally(() => under.delete(flushing))
    under.add(flushing)
  }

  function startSoon(): void {
    if (isDue) return
    isDue = true
    setImmediate(start)
  }

  async function settled(): Promise<void> {
    start()
    await Promise.all(under)
  }

  return {
    add: (sql, ask) =>
      new Promise((resolve, reject) => {
        queue.push({ sql, isLate: false, ask, resolve, reject })
        startSoon()
      }),
    addLater: (sql, ask) =>
      new Promise((resolve, reject) => {
        queue.push({ sql, isLate: true, ask, resolve, reject })
        // One that is not known concerns every query.
        lateTables.add(changedTable(sql) ?? '')
        late += 1
        if (queue.length >= mostWaiting) startSoon()
        else timer ??= setTimeout(start, longestWait)
      }),
    caughtUp(sql) {
      if (late === 0) return undefined
      const isConcerned = sql === undefined || lateTables.values().some((table) => sql.includes(table))
      return isConcerned ? settled() : undefined
    },
    settled,
  }
}
