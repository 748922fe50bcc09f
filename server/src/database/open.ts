import { constants, Database as Sqlite } from 'bun:sqlite'
import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Kysely, Migrator } from 'kysely'
import { type Connections, connectionsTo, type Line, lineOn } from './connections.ts'
import { dialectOver } from './dialect.ts'
import { anonymous, identityOf } from './identity.ts'
import { up as foundation } from './migrations/0001_foundation.ts'
import { up as uploads } from './migrations/0002_uploads.ts'
import { up as shares } from './migrations/0003_shares.ts'
import { up as uploadMetadata } from './migrations/0004_upload_metadata.ts'
import { up as inheritance } from './migrations/0005_inheritance.ts'
import { up as slimUploads } from './migrations/0006_slim_uploads.ts'
import { up as attempts } from './migrations/0008_attempts.ts'
import { up as nodes } from './migrations/0009_nodes.ts'
import { up as sharePlaces } from './migrations/0010_share_places.ts'
import { up as leaving } from './migrations/0012_leaving.ts'
import { up as changes } from './migrations/0013_changes.ts'
import { isOutOfRoom, toFailure } from './refusals.ts'
import type { Database } from './schema.ts'

/** The files SQLite keeps for one database. */
export const databaseFiles = (file: string): string[] => [file, `${file}-wal`, `${file}-shm`, `${file}-journal`]

export interface OpenOptions {
  /** How long, in milliseconds, a write waits for other processes. */
  patience?: number
}

/** Opens the database, makes it where there is none, and brings it up to date. Several processes may do so at once. */
export async function openDatabase(file: string, options: OpenOptions = {}): Promise<Kysely<Database>> {
  const { sqlite, isShared, isReadOnly } = opened(file)
  const writer = lineOn(sqlite)
  if (!isUpToDate(sqlite)) await alone(sqlite, () => migrate(writer))
  sqlite.run('pragma busy_timeout = 0')
  const reader = isShared ? lineOn(readerOf(file)) : writer
  const identity = file === ':memory:' || isReadOnly ? anonymous : identityOf(file)
  const connections = connectionsTo(writer, reader, identity, options)
  const db = new Kysely<Database>({ dialect: dialectOver(connections) })
  behind.set(db, connections)
  return db
}

/**
 * Processes share an index of the log in a file of its own, and a full disk has no room for one. Then the index is in
 * memory and the database is ours alone until the next start: people can be served, and other commands have to wait.
 */
function opened(file: string): { sqlite: Sqlite; isShared: boolean; isReadOnly: boolean } {
  if (file === ':memory:') return { sqlite: openedFor(file, 'normal'), isShared: false, isReadOnly: false }
  if (isOnReadOnlyDisk(file)) return { sqlite: openedUnchanging(file), isShared: false, isReadOnly: true }
  try {
    return { sqlite: openedFor(file, 'normal'), isShared: true, isReadOnly: false }
  } catch (error) {
    if (!isOutOfRoom(error)) throw error
    return { sqlite: openedFor(file, 'exclusive'), isShared: false, isReadOnly: false }
  }
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

/** Without a log there is nothing to share; SQLite would make one, and cannot. With one, it knows how to read it. */
function openedUnchanging(file: string): Sqlite {
  const hasLog = (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0
  if (hasLog) return new Sqlite(file, { readonly: true })
  const { SQLITE_OPEN_READONLY, SQLITE_OPEN_URI } = constants
  return new Sqlite(`${pathToFileURL(file).href}?immutable=1`, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
}

function openedFor(file: string, locking: 'normal' | 'exclusive'): Sqlite {
  const sqlite = new Sqlite(file, { readwrite: true, create: true })
  try {
    // While it is opened nobody is kept waiting by it.
    sqlite.run('pragma busy_timeout = 5000')
    sqlite.run(`pragma locking_mode = ${locking}`)
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

/** All or nothing, and one process at a time: Kysely leaves both to us where SQLite is the database. */
async function alone(sqlite: Sqlite, work: () => Promise<void>): Promise<void> {
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

const behind = new WeakMap<Kysely<Database>, Connections>()

/** The connections behind a database, for the few queries that must not wait their turn. */
export const connectionsOf = (db: Kysely<Database>): Connections | undefined => behind.get(db)

/** Is it opened in a way that only a disk without room, or a read-only one, calls for? */
export const isOursAlone = (db: Kysely<Database>): boolean => {
  const connections = connectionsOf(db)
  return connections !== undefined && connections.reader === connections.writer
}

export const sqliteOf = (db: Kysely<Database>): Sqlite | undefined => behind.get(db)?.writer.sqlite

/** Hashes and the signing key are nobody else's business; SQLite gives its other files the mode of this one. */
function createPrivately(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
}

const migrations = {
  '0001_foundation': { up: foundation },
  '0002_uploads': { up: uploads },
  '0003_shares': { up: shares },
  '0004_upload_metadata': { up: uploadMetadata },
  '0005_inheritance': { up: inheritance },
  '0006_slim_uploads': { up: slimUploads },
  '0008_attempts': { up: attempts },
  '0009_nodes': { up: nodes },
  '0010_share_places': { up: sharePlaces },
  '0012_leaving': { up: leaving },
  '0013_changes': { up: changes },
}

/** Has a newer program than this one worked on a database that went through these migrations? */
export const isFromTheFuture = (done: readonly string[]): boolean =>
  done.some((name) => !Object.hasOwn(migrations, name))

/** A database that needs nothing done to it is opened without a write: its disk may be full. */
function isUpToDate(sqlite: Sqlite): boolean {
  const table = sqlite.query("select 1 from sqlite_master where name = 'kysely_migration'").get()
  if (table === null) return false
  const done = sqlite.query<{ name: string }, []>('select name from kysely_migration').all()
  return done.length === Object.keys(migrations).length && !isFromTheFuture(done.map(({ name }) => name))
}

/** Within the transaction of the one connection there is. */
async function migrate(line: Line): Promise<void> {
  const db = new Kysely<Database>({ dialect: dialectOver(connectionsTo(line, line, anonymous)) })
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
}
