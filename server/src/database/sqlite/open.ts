import { constants, Database as Sqlite } from 'bun:sqlite'
import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Kysely } from 'kysely'
import { Failure } from '../../failure.ts'
import { isFromNewerVersion, isUpToDate, migrateToLatest } from '../migrations/migrations.ts'
import { OpenDatabase } from '../port.ts'
import type { Database } from '../schema.ts'
import { commitsOf, keptRows } from './commits.ts'
import { type Connection, connectionOn } from './connection.ts'
import { connectionsTo, type Parts } from './connections.ts'
import { dialectOver } from './dialect.ts'
import { engineOver } from './engine.ts'
import { groupedWrites } from './grouped-writes.ts'
import { anonymous, type Identity, identityOf } from './identity.ts'
import { type LogThreadOptions, logInWorker } from './log-thread.ts'
import { isOutOfRoom, toFailure } from './refusals.ts'
import { logOnLoop, noLog, type WriteAheadLog } from './write-ahead-log.ts'

/** The files SQLite keeps for one database. */
export const databaseFiles = (file: string): string[] => [file, `${file}-wal`, `${file}-shm`, `${file}-journal`]

export interface OpenOptions {
  /** How long, in milliseconds, a write waits for other processes. */
  lockTimeout?: number
  /** For a server, whose event loop must not wait for the disk: a worker thread syncs and copies the log. */
  isServer?: boolean
  thread?: LogThreadOptions
  /** Called whenever what has been committed is known to survive a power cut. */
  synced?: () => void
}

/** Opens the database, makes it where there is none, and brings it up to date. Several processes may do so at once. */
export async function openSqlite(file: string, options: OpenOptions = {}): Promise<OpenDatabase> {
  const { sqlite, isShared, isReadOnly } = openFileInWords(file)
  const writer = connectionOn(sqlite)
  const done = migrationsDone(sqlite)
  if (isFromNewerVersion(done)) {
    sqlite.close()
    throw new Failure(
      'invalid',
      `${file} was last used by a newer version of Filestead than this one. Install that version again, or restore a backup that this one has made`,
    )
  }
  if (!isUpToDate(done)) await inOneTransaction(sqlite, () => migrate(writer))
  sqlite.run('pragma busy_timeout = 0')
  const reader = isShared ? connectionOn(readerOf(file)) : writer
  const isAnonymous = file === ':memory:' || isReadOnly
  const identity = isAnonymous ? anonymous : identityOf(file)
  const log: Parts['log'] = (withoutWriters) =>
    isAnonymous ? noLog : logOf(sqlite, identity, withoutWriters, { ...options, isShared })
  const connections = connectionsTo({ writer, reader, identity, log }, options)
  const kept = keptRows(commitsOf(identity.file))
  const grouped = groupedWrites(connections, kept)
  const db = new OpenDatabase({ dialect: dialectOver(connections, grouped) }, engineOver(connections, kept, grouped))
  sqlites.set(db, sqlite)
  return db
}

function logOf(
  sqlite: Sqlite,
  identity: Identity,
  withoutWriters: Parameters<Parts['log']>[0],
  { isServer = false, isShared, thread, synced = () => {} }: OpenOptions & { isShared: boolean },
): WriteAheadLog {
  // A database that is locked for other processes is locked for a second connection of this one as well.
  const log = isServer && isShared ? logInWorker(sqlite, identity, withoutWriters, thread) : logOnLoop(sqlite, identity)
  return { ...log, sync: () => log.sync().then(synced) }
}

const sqlites = new WeakMap<Kysely<Database>, Sqlite>()

/** The connection that writes, for tests that break something. */
export const sqliteOf = (db: Kysely<Database>): Sqlite | undefined => sqlites.get(db)

/**
 * Processes share an index of the log in a file of its own, and a full disk has no room for one. Then the index is in
 * memory and the database is locked exclusively until the next start: requests are served, and commands have to wait.
 */
function openFile(file: string): { sqlite: Sqlite; isShared: boolean; isReadOnly: boolean } {
  if (file === ':memory:') return { sqlite: openLocking(file, 'normal'), isShared: false, isReadOnly: false }
  if (isOnReadOnlyDisk(file)) return { sqlite: openImmutable(file), isShared: false, isReadOnly: true }
  try {
    return { sqlite: openLocking(file, 'normal'), isShared: true, isReadOnly: false }
  } catch (error) {
    if (!isOutOfRoom(error)) throw error
    return { sqlite: openLocking(file, 'exclusive'), isShared: false, isReadOnly: false }
  }
}

/** Errors of system calls and of SQLite name neither the file nor what to do. */
function openFileInWords(file: string): ReturnType<typeof openFile> {
  try {
    return openFile(file)
  } catch (error) {
    const { code = '' } = error as { code?: string }
    if (code === 'SQLITE_NOTADB' || code === 'SQLITE_CORRUPT')
      throw new Failure(
        'invalid',
        `${file} is damaged, or is no database. Restore a backup with 'filestead restore', or name another file with --database`,
        { cause: error },
      )
    const reason = isOutOfRoom(error) ? 'its disk is full' : reasons[code]
    if (reason === undefined) throw error
    throw new Failure(
      'forbidden',
      `The database ${file} cannot be opened: ${reason}. Name another place with --database`,
      {
        cause: error,
      },
    )
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'its disk is read-only',
  ENOENT: 'no file can be made there',
  ENOTDIR: 'a folder of its path is a file',
}

/** Refuses the database of another program before anything in it is changed. */
function requireOwn(sqlite: Sqlite, file: string): void {
  const tables = sqlite.query<{ name: string }, []>("select name from sqlite_master where type = 'table'").all()
  if (tables.length > 0 && !tables.some(({ name }) => name === 'kysely_migration'))
    throw new Failure('invalid', `${file} is a database of another program. Name another file with --database`)
}

function isOnReadOnlyDisk(file: string): boolean {
  try {
    createPrivately(file)
    return false
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EROFS' && existsSync(file)) return true
    throw error
  }
}

/** On a read-only disk SQLite cannot make a log; without one the file is opened as one that never changes. */
function openImmutable(file: string): Sqlite {
  const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  if (hasLog) return new Sqlite(file, { readonly: true })
  const { SQLITE_OPEN_READONLY, SQLITE_OPEN_URI } = constants
  return new Sqlite(`${pathToFileURL(file).href}?immutable=1`, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
}

function openLocking(file: string, locking: 'normal' | 'exclusive'): Sqlite {
  const sqlite = new Sqlite(file, { readwrite: true, create: true })
  try {
    // Before the server listens, no request waits.
    sqlite.run('pragma busy_timeout = 5000')
    sqlite.run(`pragma locking_mode = ${locking}`)
    requireOwn(sqlite, file)
    sqlite.run('pragma journal_mode = wal')
    sqlite.run('pragma synchronous = normal')
    sqlite.run('pragma foreign_keys = on')
    sqlite.query('select count(*) from sqlite_master').get()
    return sqlite
  } catch (error) {
    sqlite.close()
    throw error
  }
}

function readerOf(file: string): Sqlite {
  const sqlite = new Sqlite(file, { readonly: true })
  sqlite.run('pragma busy_timeout = 0')
  return sqlite
}

/** Hashes and the signing key are for this account only; SQLite gives its other files the mode of this one. */
function createPrivately(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
}

/** Atomic, and one process at a time: Kysely's migrator does neither for SQLite. */
async function inOneTransaction(sqlite: Sqlite, work: () => Promise<void>): Promise<void> {
  sqlite.run('begin immediate')
  try {
    await work()
    sqlite.run('commit')
  } catch (error) {
    // SQLite undoes by itself what found no room on the disk.
    if (sqlite.inTransaction) sqlite.run('rollback')
    throw toFailure(error)
  }
}

function migrationsDone(sqlite: Sqlite): string[] {
  const table = sqlite.query("select 1 from sqlite_master where name = 'kysely_migration'").get()
  if (table === null) return []
  return sqlite
    .query<{ name: string }, []>('select name from kysely_migration')
    .all()
    .map(({ name }) => name)
}

/** Within the transaction of the one connection there is. */
const migrate = (connection: Connection): Promise<void> =>
  migrateToLatest(
    new Kysely<Database>({
      dialect: dialectOver(
        connectionsTo({ writer: connection, reader: connection, identity: anonymous, log: () => noLog }),
      ),
    }),
  )
