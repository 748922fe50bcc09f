import type { Database as Sqlite } from 'bun:sqlite'
import { open } from 'node:fs/promises'
import type { Identity } from './identity.ts'

/**
 * SQLite appends every commit to a log, which a checkpoint copies into the database. Both are safe from a power cut only
 * after an fsync, which takes as long as the disk is busy, so it never runs in the event loop of a server.
 */
export interface WriteAheadLog {
  /** Something may have been appended. */
  committed(): void
  /** Waits until all that has been committed survives a power cut. */
  sync(): Promise<void>
  /** A checkpoint now, after which the space of the log is used again. False where nothing could be copied. */
  copyBack(): Promise<boolean>
  isCopying(): boolean
  /** Copies the rest where the database is still the file that was opened. */
  close(state: { isOurs: boolean }): Promise<void>
}

/** For a database in memory, or one that cannot be written. */
export const noLog: WriteAheadLog = {
  committed() {},
  sync: async () => {},
  copyBack: async () => false,
  isCopying: () => false,
  close: async () => {},
}

/** For commands, which keep nothing else waiting: checkpoints happen in the thread of the connection, as SQLite does it. */
export const logInThread = (sqlite: Sqlite, identity: Identity): WriteAheadLog => ({
  ...noLog,
  sync: shared(async () => {
    identity.require()
    await syncFile(identity.log)
  }),
  copyBack: async () => checkpointHere(sqlite),
})

function checkpointHere(sqlite: Sqlite): boolean {
  try {
    sqlite.run('pragma wal_checkpoint(passive)')
    return true
  } catch {
    return false
  }
}

/** In the runtime's pool of threads. */
export async function syncFile(file: string): Promise<void> {
  const log = await open(file, 'r')
  try {
    await log.datasync()
  } finally {
    await log.close()
  }
}

/**
 * Group commit: all callers that come while one run is under way share the next one. The one under way is not enough for
 * them, for it may have begun before their commit.
 */
export function shared(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const start = (): Promise<void> => {
    running = run().finally(() => {
      running = undefined
    })
    return running
  }
  return () => {
    if (next !== undefined) return next
    if (running === undefined) return start()
    next = running
      .catch(() => {})
      .then(() => {
        next = undefined
        return start()
      })
    return next
  }
}
