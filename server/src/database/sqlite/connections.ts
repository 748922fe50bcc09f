import { type Release, semaphore } from '../../concurrency/semaphore.ts'
import type { Connection } from './connection.ts'
import type { Identity, IdentityState } from './identity.ts'
import { isBusy, isFull, toFailure } from './refusals.ts'
import { checkpoint, type WriteAheadLog } from './write-ahead-log.ts'

/**
 * The connections to one database. SQLite runs in the thread of the event loop, so nothing here ever waits inside of it:
 * a write that finds the lock taken by another process is tried again later, and requests are answered meanwhile.
 */
export interface Connections {
  readonly writer: Connection
  /**
   * Sees what is committed and never what is under way, and waits for no writer of this process. A database in memory
   * has only one connection; then this is the writer.
   */
  readonly reader: Connection
  readonly log: WriteAheadLog
  readonly identity: Identity
  /** Keeps the rest of this log away from a file that has taken the place of the database, however the process ends. */
  inspect(): void
  read<T>(ask: () => T): T | Promise<T>
  /** For a read on the only connection, which would see what a transaction has not committed yet. */
  readLocked<T>(ask: () => T): Promise<T>
  /** One statement that writes. Waits for the write lock of this process, and for other processes. */
  write<T>(ask: () => T): Promise<T>
  /** The same at once, where this process is in no transaction and no other one is writing; else it waits. */
  writeNow<T>(ask: () => T): T | Promise<T>
  /** One try that waits for no lock. */
  tryToWrite(ask: () => unknown): Promise<void>
  /** Begins a transaction. All other writes of this process wait until `release` is called. */
  begin(): Promise<OpenTransaction>
  close(): Promise<void>
}

export interface OpenTransaction {
  commit(): Promise<void>
  rollback(): void
  release: Release
}

/** How long, in milliseconds, a write waits for the lock before it is refused. */
const usualLockTimeout = 5000
const longestPause = 50

export interface Parts {
  readonly writer: Connection
  readonly reader: Connection
  readonly identity: Identity
  /** What it is given lets a log hold back the writers of this process, so that a checkpoint can reach its end. */
  readonly log: (withoutWriters: <T>(work: () => Promise<T>) => Promise<T>) => WriteAheadLog
}

export function connectionsTo(
  { writer, reader, identity, log: logOf }: Parts,
  { lockTimeout = usualLockTimeout }: { lockTimeout?: number | undefined } = {},
): Connections {
  const writeLock = semaphore(1)
  const foreignLock = lockWatch(lockTimeout)
  let wasFull = false
  let isHeldBack = false
  const log = logOf((work) =>
    writeLock.run(async () => {
      isHeldBack = true
      try {
        return await work()
      } finally {
        isHeldBack = false
      }
    }),
  )

  /** Runs on the loop without a pause. `state` is what the identity was found to be a moment ago. */
  function attempt<T>(ask: () => T, state: IdentityState): T {
    leaveIfLost(state)
    identity.require(state)
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

  /** A file that another process wrote to is read through by the thread of the log before anything is added to it. */
  const verified = (): Promise<IdentityState> => identity.verified(log.isIntact)

  /**
   * A log that has been copied into the database is written again from its start, in the space that it has already:
   * often the only space that there is.
   */
  const reuseLog = async (): Promise<boolean> => !writer.sqlite.inTransaction && (await log.checkpoint())

  async function attemptWithRoom<T>(ask: () => T): Promise<T> {
    if (wasFull) await reuseLog()
    try {
      return attempt(ask, await verified())
    } catch (error) {
      if (!isFull(error) || !(await reuseLog())) throw error
      return attempt(ask, await verified())
    }
  }

  let isClosed = false
  let leaving: Promise<void> | undefined
  function leaveIfLost(state: IdentityState): void {
    if (isClosed || leaving !== undefined || writer.sqlite.inTransaction) return
    if (state !== 'replaced' && state !== 'overwritten') return
    // A checkpoint under way keeps the log; the next look finds it done.
    if (log.isCheckpointing()) return
    leaving = leave(state)
  }

  /** All of the log into the file that it belongs to, which may have another name by now, and nothing into its successor. */
  async function leave(state: 'replaced' | 'overwritten'): Promise<void> {
    if (state === 'replaced') await log.empty()
    identity.dropCompanions()
  }

  async function retried<T>(ask: () => T | Promise<T>, since: number): Promise<T> {
    for (let pause = 1; ; pause = Math.min(pause * 2, longestPause)) {
      try {
        const done = await ask()
        foreignLock.isFree()
        return done
      } catch (error) {
        if (!isBusy(error) || foreignLock.isHeldTooLong(since)) throw toFailure(error)
      }
      await Bun.sleep(pause)
    }
  }

  const locked = <T>(ask: () => T | Promise<T>): Promise<T> => {
    const since = performance.now()
    return writeLock.run(() => retried(ask, since))
  }

  const write = <T>(ask: () => T): Promise<T> => locked(() => attemptWithRoom(ask))

  return {
    writer,
    reader,
    log,
    identity,
    inspect() {
      const state = identity.state()
      leaveIfLost(state)
      if (state === 'changed') void verified().then(leaveIfLost, () => {})
    },
    read(ask) {
      try {
        return ask()
      } catch (error) {
        if (!isBusy(error)) throw toFailure(error)
        return retried(ask, performance.now())
      }
    },
    readLocked: locked,
    write,
    writeNow(ask) {
      if (writer.sqlite.inTransaction || wasFull || isHeldBack) return write(ask)
      const state = identity.state()
      if (state === 'changed') return write(ask)
      try {
        return attempt(ask, state)
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
      const since = performance.now()
      const release = await writeLock.acquire()
      try {
        // A transaction that reads first and finds at its first write that another process was faster fails at once;
        // one that asks for the lock at its start waits for it.
        await retried(() => attemptWithRoom(() => writer.run('begin immediate', [])), since)
      } catch (error) {
        release()
        throw error
      }
      return {
        async commit() {
          identity.require(await verified())
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
        release,
      }
    },
    async close() {
      if (isClosed) return
      isClosed = true
      await leaving
      // First: the last connection to be closed copies the log, and that must be the writer.
      await log.close({ isOurs: (await verified()) === 'ours' })
      const state = identity.state()
      const isOurs = state === 'ours' || state === 'changed'
      if (state === 'overwritten') identity.dropCompanions()
      else if (!isOurs) checkpoint(writer.sqlite, 'truncate')
      if (reader !== writer) reader.close()
      writer.close()
      if (!isOurs) identity.dropCompanions()
    },
  }
}

/**
 * Of many writes that wait for one lock, one after the other, none waits longer than the first: once another process has
 * kept it for as long as a write waits, all are refused at the first try until it is free.
 */
function lockWatch(timeout: number) {
  let held: { since: number; seen: number } | undefined
  return {
    isFree() {
      held = undefined
    },
    isHeldTooLong(waitingSince: number): boolean {
      const now = performance.now()
      if (held === undefined || now - held.seen > 20 * longestPause) held = { since: now, seen: now }
      held.seen = now
      return now - Math.min(waitingSince, held.since) >= timeout
    },
  }
}
