import type { SQLQueryBindings, Database as Sqlite, Statement } from 'bun:sqlite'
import type { Identity } from './identity.ts'
import { isBusy, isFull, toFailure } from './refusals.ts'

/**
 * The connections to one database. SQLite works in the thread of the event loop, so nothing here ever waits inside of
 * it: where another process holds the lock, we try again later, and others are answered meanwhile.
 */
export interface Connections {
  readonly writer: Line
  /**
   * Sees what is committed and never what is under way, and waits for no writer of this process. A database in memory
   * has only one connection; then this is the writer.
   */
  readonly reader: Line
  readonly identity: Identity
  /** Sees to it that a file which has taken the place of ours is not harmed by what we leave, however we end. */
  lookAfter(): void
  read<T>(ask: () => T): T | Promise<T>
  /** For a read on the only connection, which would see what a transaction has not committed yet. */
  readInTurn<T>(ask: () => T): Promise<T>
  /** One statement that writes. Waits for its turn among ours, and for other processes. */
  write<T>(ask: () => T): Promise<T>
  /** The same at once, where nobody of ours is in a transaction and no other process is writing; else it has its turn. */
  writeNow<T>(ask: () => T): T | Promise<T>
  /** One try and no waiting, to find out whether something can be written at all. */
  tryToWrite(ask: () => unknown): void
  /** Begins a transaction. Everybody else who writes has their turn when `Turn.end` is called. */
  begin(): Promise<Turn>
  close(): void
}

export interface Turn {
  commit(): void
  rollback(): void
  end(): void
}

/** How long, in milliseconds, a write waits for its turn before it is refused. */
const usualPatience = 5000
const longestPause = 50

export function connectionsTo(
  writer: Line,
  reader: Line,
  identity: Identity,
  { patience = usualPatience } = {},
): Connections {
  const takeLock = mutex()
  const lock = lockWatch(patience)
  let wasFull = false

  /**
   * A log that has been copied into the database is written again from its start, in the space that it has already: often
   * the only space that there is.
   */
  const reuseLog = (): boolean => {
    try {
      if (!writer.sqlite.inTransaction) writer.sqlite.run('pragma wal_checkpoint(passive)')
      return !writer.sqlite.inTransaction
    } catch {
      return false
    }
  }

  function guarded<T>(ask: () => T): T {
    requireOurs()
    if (wasFull) wasFull = !reuseLog()
    try {
      return ask()
    } catch (error) {
      if (!isFull(error)) throw error
      wasFull = true
      if (!reuseLog()) throw error
      const done = ask()
      wasFull = false
      return done
    } finally {
      identity.wrote()
    }
  }

  function requireOurs(): void {
    lookAfter()
    identity.require()
  }

  let isLeft = false
  function lookAfter(): void {
    const state = identity.state()
    if (isLeft || writer.sqlite.inTransaction || (state !== 'replaced' && state !== 'overwritten')) return
    isLeft = true
    // All of it into the file that it belongs to, which may have another name by now, and nothing into its successor.
    if (state === 'replaced') writeLogBack(writer.sqlite)
    identity.dropCompanions()
  }

  async function retried<T>(ask: () => T, since: number): Promise<T> {
    for (let pause = 1; ; pause = Math.min(pause * 2, longestPause)) {
      try {
        const done = ask()
        lock.isFree()
        return done
      } catch (error) {
        if (!isBusy(error) || lock.isHeldTooLong(since)) throw toFailure(error)
      }
      await Bun.sleep(pause)
    }
  }

  async function inTurn<T>(ask: () => T): Promise<T> {
    const since = Date.now()
    const release = await takeLock()
    try {
      return await retried(ask, since)
    } finally {
      release()
    }
  }

  const write = <T>(ask: () => T): Promise<T> => inTurn(() => guarded(ask))

  return {
    writer,
    reader,
    identity,
    lookAfter,
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
      if (writer.sqlite.inTransaction) return write(ask)
      try {
        return guarded(ask)
      } catch (error) {
        if (!isBusy(error)) throw toFailure(error)
        return write(ask)
      }
    },
    tryToWrite(ask) {
      // Whoever is in a transaction is writing.
      if (writer.sqlite.inTransaction) return
      try {
        guarded(ask)
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
        await retried(() => guarded(() => writer.run('begin immediate', [])), since)
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
          }
        },
        // SQLite undoes by itself what found no room on the disk.
        rollback: () => void (writer.sqlite.inTransaction && writer.run('rollback', [])),
        end,
      }
    },
    close() {
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
    // The file that it belongs to has lost its name; nobody will miss this.
  }
}

/**
 * Of many who wait for one lock, one after the other, none waits longer than the first: once another process has kept it
 * for as long as we wait, everybody is refused at the first try until it is free.
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

/** One connection with its statements, prepared once. */
export interface Line {
  readonly sqlite: Sqlite
  /** Stays prepared until the connection is closed. */
  prepare<Row>(text: string): Statement<Row, SQLQueryBindings[]>
  all(text: string, parameters: readonly unknown[]): unknown[]
  run(text: string, parameters: readonly unknown[]): { changes: number; lastInsertRowid: number | bigint }
  /** The rows of what returns some, and how many were changed by what does not. */
  execute(text: string, parameters: readonly unknown[]): { rows: unknown[]; changes: number | undefined }
  close(): void
}

const mostStatements = 300

export function lineOn(sqlite: Sqlite): Line {
  const known = new Map<string, Statement<unknown, SQLQueryBindings[]>>()
  const kept: Statement<never, never>[] = []

  function statement(text: string): Statement<unknown, SQLQueryBindings[]> {
    const found = known.get(text)
    if (found !== undefined) return found
    if (known.size >= mostStatements) forgetAll()
    const made = sqlite.prepare<unknown, SQLQueryBindings[]>(text)
    known.set(text, made)
    return made
  }

  function forgetAll(): void {
    for (const one of known.values()) one.finalize()
    known.clear()
  }

  const given = (parameters: readonly unknown[]) => parameters as SQLQueryBindings[]
  return {
    sqlite,
    prepare<Row>(text: string) {
      const made = sqlite.prepare<Row, SQLQueryBindings[]>(text)
      kept.push(made as unknown as Statement<never, never>)
      return made
    },
    all: (text, parameters) => statement(text).all(...given(parameters)),
    run: (text, parameters) => statement(text).run(...given(parameters)),
    execute(text, parameters) {
      const asked = statement(text)
      if (asked.columnNames.length > 0) return { rows: asked.all(...given(parameters)), changes: undefined }
      return { rows: [], changes: asked.run(...given(parameters)).changes }
    },
    // With a statement left, SQLite would only seem to close, and the log would stay.
    close() {
      forgetAll()
      for (const one of kept) one.finalize()
      sqlite.close()
    },
  }
}
