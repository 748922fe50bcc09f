import type { Database as Sqlite } from 'bun:sqlite'
import { open } from 'node:fs/promises'
import { coalesce } from '../../concurrency/coalesce.ts'
import { isDamaged } from './damage.ts'
import type { Identity } from './identity.ts'

/**
 * SQLite appends every commit to a log, which a checkpoint copies into the database. Both survive a power cut only after
 * an fsync, which takes as long as the disk is busy, so it never runs on the event loop of a server.
 */
export interface WriteAheadLog {
  /** Something may have been appended. */
  committed(): void
  /** Resolves when everything committed so far survives a power cut. */
  sync(): Promise<void>
  /** A checkpoint now, after which the space of the log is used again. False where nothing could be copied. */
  checkpoint(): Promise<boolean>
  isCheckpointing(): boolean
  /** Copies all of the log into the file that it belongs to, which may have another name by now. Never fails. */
  empty(): Promise<void>
  /** Reads the whole file: does its content still belong to this log? */
  isIntact(): Promise<boolean>
  /** Copies the rest where the database is still the file that was opened. */
  close(state: { isOurs: boolean }): Promise<void>
}

/** For a database in memory, or one that cannot be written. */
export const noLog: WriteAheadLog = {
  committed() {},
  sync: async () => {},
  checkpoint: async () => false,
  isCheckpointing: () => false,
  empty: async () => {},
  isIntact: async () => true,
  close: async () => {},
}

/** For commands, where nothing else waits: everything happens in the thread of the connection, as SQLite does it. */
export const logOnLoop = (sqlite: Sqlite, identity: Identity): WriteAheadLog => ({
  ...noLog,
  sync: coalesce(async () => {
    identity.require()
    await syncFile(identity.log)
  }),
  checkpoint: async () => checkpoint(sqlite, 'passive'),
  empty: async () => void checkpoint(sqlite, 'truncate'),
  isIntact: async () => !isDamaged(identity.file),
})

export function checkpoint(sqlite: Sqlite, mode: 'passive' | 'truncate'): boolean {
  try {
    sqlite.run(`pragma wal_checkpoint(${mode})`)
    return true
  } catch {
    return false
  }
}

/** In the runtime's thread pool. */
export async function syncFile(file: string): Promise<void> {
  const log = await open(file, 'r')
  try {
    await log.datasync()
  } finally {
    await log.close()
  }
}
