import { Database as Sqlite } from 'bun:sqlite'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { Kysely, Migrator, SqliteDialect } from 'kysely'
import { Failure } from '../failure.ts'
import { up as foundation } from './migrations/0001_foundation.ts'
import { up as uploads } from './migrations/0002_uploads.ts'
import { up as shares } from './migrations/0003_shares.ts'
import { up as uploadMetadata } from './migrations/0004_upload_metadata.ts'
import { up as inheritance } from './migrations/0005_inheritance.ts'
import { up as slimUploads } from './migrations/0006_slim_uploads.ts'
import { up as sharePlaces } from './migrations/0010_share_places.ts'
import type { Database } from './schema.ts'

/** The files SQLite keeps for one database. */
export const databaseFiles = (file: string): string[] => [file, `${file}-wal`, `${file}-shm`, `${file}-journal`]

/** Opens the database, makes it where there is none, and brings it up to date. Several processes may do so at once. */
export async function openDatabase(file: string): Promise<Kysely<Database>> {
  if (file !== ':memory:') createPrivately(file)
  const sqlite = new Sqlite(file, { readwrite: true, create: true })
  sqlite.run('pragma busy_timeout = 5000')
  sqlite.run('pragma journal_mode = wal')
  sqlite.run('pragma synchronous = normal')
  sqlite.run('pragma foreign_keys = on')
  const db = new Kysely<Database>({ dialect: new SqliteDialect({ database: toKysely(sqlite) }) })
  behind.set(db, sqlite)
  await alone(sqlite, () => migrate(db))
  return db
}

/** All or nothing, and one process at a time: Kysely leaves both to us where SQLite is the database. */
async function alone(sqlite: Sqlite, work: () => Promise<void>): Promise<void> {
  sqlite.run('begin immediate')
  try {
    await work()
    sqlite.run('commit')
  } catch (error) {
    sqlite.run('rollback')
    throw error
  }
}

const behind = new WeakMap<Kysely<Database>, Sqlite>()

/** The SQLite database behind a connection, for the few queries that must not wait their turn. */
export const sqliteOf = (db: Kysely<Database>): Sqlite | undefined => behind.get(db)

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
  '0010_share_places': { up: sharePlaces },
}

/** Has a newer program than this one worked on a database that went through these migrations? */
export const isFromTheFuture = (done: readonly string[]): boolean =>
  done.some((name) => !Object.hasOwn(migrations, name))

async function migrate(db: Kysely<Database>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
}

/** Kysely speaks to better-sqlite3; Bun's own driver differs in the way it takes parameters. */
function toKysely(sqlite: Sqlite) {
  return {
    close: () => sqlite.close(),
    prepare(text: string) {
      // A transaction that reads first and finds at its first write that another process was faster fails at once;
      // one that asks for the lock at its start waits its turn.
      const statement = sqlite.query(text === 'begin' ? 'begin immediate' : text)
      const given = (parameters: readonly unknown[]) => parameters as Parameters<typeof statement.all>
      return {
        reader: statement.columnNames.length > 0,
        all: (parameters: readonly unknown[]) => refused(() => statement.all(...given(parameters)) as unknown[]),
        run: (parameters: readonly unknown[]) => refused(() => statement.run(...given(parameters))),
        iterate: (parameters: readonly unknown[]) =>
          statement.iterate(...given(parameters)) as IterableIterator<unknown>,
      }
    },
  }
}

/** A disk without room for the database is told like any other full disk. */
export function refused<T>(ask: () => T): T {
  try {
    return ask()
  } catch (error) {
    if ((error as { code?: string }).code !== 'SQLITE_FULL') throw error
    throw new Failure('no-space', 'The disk that holds the database is full', { cause: error })
  }
}
