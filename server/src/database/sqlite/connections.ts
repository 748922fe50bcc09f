import type { Database as Sqlite } from 'bun:sqlite'
import type { Identity } from './identity.ts'
import type { Line } from './line.ts'
import { isBusy, isFull, toFailure } from './refusals.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

/**
 * The connections to one database. SQLite works in the thread of the event loop, so nothing here ever waits inside of
 * it: a write that finds the lock taken by another process is tried again later, and requests are answered meanwhile.
 */
export interface Connections {
  readonly writer: Line
  /**
   * Sees what is committed and never what is under way, and waits for no writer of this process. A database in memory
   * has only one connection; then this is the writer.
   */
  readonly reader: Line
  readonly log: WriteAheadLog
  readonly identity: Identity
  /** Keeps the rest of this log away from a file that has taken the place of the database, however the process ends. */
  inspect(): void
  read<T>(ask: () => T): T | Promise<T>
  /** For a read on the only connection, which would see what a transaction has not committed yet. */
  readInTurn<T>(ask: () => T): Promise<T>
  /** One statement that writes. Waits for its turn in this process, and for other processes. */
  write<T>(ask: () => T): Promise<T>
  /** The same at once, where this process is in no transaction and no other one is writing; else it has its turn. */
  writeNow<T>(ask: () => T): T | Promise<T>
  /** One try that waits for no lock. */
  tryToWrite(ask: () => unknown): Promise<void>
  /** Begins a transaction. All other writes of this process wait until `Turn.end` is called. */
  begin(): Promise<Turn>
  close(): Promise<void>
}

export interface Turn {
  commit(): void
  rollback(): void
  end(): void
}

/** How long, in milliseconds, a write waits for its turn before it is refused. */
const usualPatience = 5000
const longestPause = 50

export interface Parts {
  readonly writer: Line
  readonly reader: Line
  readonly identity: Identity
  /** What it is given lets a log hold back the writers of this process, so that it can be copied to its end. */
  readonly log: (withoutWriters: <T>(work: () => Promise<T>) => Promise<T>) => WriteAheadLog
}

export function connectionsTo(
  { writer, reader, identity, log: logOf }: Parts,
  { patience = usualPatience }: { patience?: number | undefined } = {},
): Connections {
  const takeLock = mutex()
  const lock = lockWatch(patience)
  let wasFull = false
  let isHeldBack = false
  const log = logOf(async (work) => {
    const release = await takeLock()
    isHeldBack = true
    try {
      return await work()
    } finally {
      isHeldBack = false
      release()
    }
  })

  function attempt<T>(ask: () => T): T {
    inspect()
    identity.require()
    try {
      const done = ask()
      wasFull = false
      return done
    } catch (error) {
      wasFull ||= isFull(error)
      throw error
    } finally {
      identity.wrote()
      log.committed()
    }
  }

  /**
   * A log that has been copied into the database is written again from its start, in the space that it has already:
   * often the only space that there is.
   */
  const reuseLog = async (): Promise<boolean> => !writer.sqlite.inTransaction && (await log.copyBack())

  async function attemptWithRoom<T>(ask: () => T): Promise<T> {
    if (wasFull) await reuseLog()
    try {
      return attempt(ask)
    } catch (error) {
      if (!isFull(error) || !(await reuseLog())) throw error
      return attempt(ask)
    }
  }

  let isClosed = false
  let isLeft = false
  function inspect(): void {
    if (isClosed) return
    const state = identity.state()
    if (isLeft || writer.sqlite.inTransaction || (state !== 'replaced' && state !== 'overwritten')) return
    // While it is being copied back, the rest could not be; the next look finds it done.
    if (log.isCopying()) return
    isLeft = true
    // All of it into the file that it belongs to, which may have another name by now, and nothing into its successor.
    if (state === 'replaced') writeLogBack(writer.sqlite)
    identity.dropCompanions()
  }

  async function retried<T>(ask: () => T | Promise<T>, since: number): Promise<T> {
    for (let pause = 1; ; pause = Math.min(pause * 2, longestPause)) {
      try {
        const done = await ask()
        lock.isFree()
        return done
      } catch (error) {
        if (!isBusy(error) || lock.isHeldTooLong(since)) throw toFailure(error)
      }
      await Bun.sleep(pause)
    }
  }

  async function inTurn<T>(ask: () => T | Promise<T>): Promise<T> {
    const since = Date.now()
    const release = await takeLock()
    try {
      return await retried(ask, since)
    } finally {
      release()
    }
  }

  const write = <T>(ask: () => T): Promise<T> => inTurn(() => attemptWithRoom(ask))

  return {
    writer,
    reader,
    log,
    identity,
    inspect,
    read(ask) {
      try {
        return ask()
      } catch (error) {
        if (!isBusy(error)) throw toFailure(error)
        return retried(ask, Date.now())
      }
    },
    readInTurn: inTurn,
    write,
    writeNow(ask) {
      if (writer.sqlite.inTransaction || wasFull || isHeldBack) return write(ask)
      try {
        return attempt(ask)
      } catch (error) {
        if (!isBusy(error) && !isFull(error)) throw toFailure(error)
        return write(ask)
      }
    },
    async tryToWrite(ask) {
      // A transaction that is open shows as well that writing works.
      if (writer.sqlite.inTransaction) return
      try {
        await attemptWithRoom(ask)
      } catch (error) {
        throw toFailure(error)
      }
    },
    async begin() {
      const since = Date.now()
      const end = await takeLock()
      try {
        // A transaction that reads first and finds at its first write that another process was faster fails at once;
        // one that asks for the lock at its start waits its turn.
        await retried(() => attemptWithRoom(() => writer.run('begin immediate', [])), since)
      } catch (error) {
        end()
        throw error
      }
      return {
        commit() {
          identity.require()
          try {
            writer.run('commit', [])
          } catch (error) {
            wasFull ||= isFull(error)
            throw toFailure(error)
          } finally {
            identity.wrote()
            log.committed()
          }
        },
        // SQLite undoes by itself what found no room on the disk.
        rollback: () => void (writer.sqlite.inTransaction && writer.run('rollback', [])),
        end,
      }
    },
    async close() {
      if (isClosed) return
      isClosed = true
      // First: the last connection to be closed copies the log, and that must be the writer.
      await log.close({ isOurs: identity.state() === 'ours' })
      const state = identity.state()
      const isOurs = state === 'ours'
      if (state === 'overwritten') identity.dropCompanions()
      else if (!isOurs) writeLogBack(writer.sqlite)
      if (reader !== writer) reader.close()
      writer.close()
      if (!isOurs) identity.dropCompanions()
    },
  }
}

function writeLogBack(sqlite: Sqlite): void {
  try {
    sqlite.run('pragma wal_checkpoint(truncate)')
  } catch {
    // The file that it belongs to has lost its last name, so nothing will read it again.
  }
}

/**
 * Of many writes that wait for one lock, one after the other, none waits longer than the first: once another process has
 * kept it for as long as a write waits, all are refused at the first try until it is free.
 */
function lockWatch(patience: number) {
  let held: { since: number; seen: number } | undefined
  return {
    isFree() {
      held = undefined
    },
    isHeldTooLong(waitingSince: number): boolean {
      const now = Date.now()
      if (held === undefined || now - held.seen > 20 * longestPause) held = { since: now, seen: now }
      held.seen = now
      return now - Math.min(waitingSince, held.since) >= patience
    },
  }
}

/** First come, first served. */
function mutex(): () => Promise<() => void> {
  let last = Promise.resolve()
  return async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = last
    last = promise
    await before
    return resolve
  }
}
