import { Database as Sqlite } from 'bun:sqlite'
import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import { Failure } from '../../failure.ts'
import { type Tables, tablesWith } from '../tables.ts'
import { isBusy } from './refusals.ts'

// What commands ask of the file of a database without opening it as a server does: nothing is made or brought up to date.

function tablesIn(sqlite: Sqlite): Tables {
  const known = new Set(
    sqlite
      .query<{ name: string }, []>("select name from sqlite_master where type = 'table'")
      .all()
      .map(({ name }) => name),
  )
  return tablesWith(<Row>(table: string): Row[] =>
    known.has(table) ? sqlite.query<Row, []>(`select * from "${table}"`).all() : [],
  )
}

/** Reads and leaves no trace. */
export function readFrom<T>(file: string, read: (tables: Tables) => T): T {
  const sqlite = new Sqlite(file, { readonly: true })
  try {
    return read(tablesIn(sqlite))
  } finally {
    sqlite.close()
  }
}

/** The JSON documents of a database by name; none where it cannot be read. */
export function documentsIn(file: string): ReadonlyMap<string, unknown> {
  try {
    return readFrom(
      file,
      (tables) => new Map(tables.rows('setting').map(({ name, value }) => [name, JSON.parse(value)])),
    )
  } catch {
    return new Map()
  }
}

/** Reads a database that a server may be writing to, and tells in SQLite's own words what is damaged. */
export function examine<T>(file: string, read: (tables: Tables, damage: string | undefined) => T): T {
  const sqlite = new Sqlite(file, { readwrite: true })
  try {
    sqlite.run('pragma busy_timeout = 5000')
    const check = sqlite.query<{ quick_check: string }, []>('pragma quick_check(1)').get()?.quick_check
    return read(tablesIn(sqlite), check === 'ok' ? undefined : check)
  } finally {
    sqlite.close()
  }
}

export function isSound(file: string): boolean {
  try {
    const sqlite = new Sqlite(file, { readonly: true })
    try {
      return sqlite.query<{ integrity_check: string }, []>('pragma integrity_check(1)').get()?.integrity_check === 'ok'
    } finally {
      sqlite.close()
    }
  } catch {
    return false
  }
}

/** A copy of the database as it is at this moment, while others write to it. */
export function snapshot(database: string, copy: string): void {
  const sqlite = new Sqlite(database, { readwrite: true })
  try {
    sqlite.run('pragma busy_timeout = 10000')
    copyInto(sqlite, copy)
  } finally {
    sqlite.close()
  }
}

function copyInto(sqlite: Sqlite, copy: string): void {
  // SQLite takes an empty file for its copy, and it would make one that every account may read.
  closeSync(openSync(copy, 'wx', 0o600))
  sqlite.run('vacuum into ?', [copy])
}

export interface Held<T> extends Disposable {
  /** Undefined where the database is too damaged to be read. */
  readonly found: T | undefined
  /** Writes what is in it into a new file. A copy by name would drop the locks of this process. */
  copyTo(file: string): void
}

/** Keeps every other process out of a database, and refuses when one is in. */
export function holdAlone<T>(database: string, read: (tables: Tables) => T): Held<T> {
  const sqlite = new Sqlite(database, { readwrite: true })
  const release = () => sqlite.close()
  try {
    sqlite.run('pragma busy_timeout = 500')
    sqlite.run('pragma locking_mode = exclusive')
    sqlite.run('begin exclusive')
    const found = read(tablesIn(sqlite))
    sqlite.run('commit')
    // All of it in the one file, which can then be renamed alone.
    sqlite.run('pragma wal_checkpoint(truncate)')
    return { found, copyTo: (file) => copyInto(sqlite, file), [Symbol.dispose]: release }
  } catch (error) {
    release()
    if (isBusy(error) || hasLocks(database))
      throw new Failure('locked', `a server, or another command, is using ${database}; stop it first`)
    // Damaged: that may be the very reason why it is replaced.
    const copyTo = () => {
      throw error
    }
    return { found: undefined, copyTo, [Symbol.dispose]: () => {} }
  }
}

/** A database that SQLite cannot read may still be open in a server: the kernel knows which locks are held on it. */
function hasLocks(database: string): boolean {
  try {
    const { ino } = statSync(database)
    return readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .some((line) => line.includes(`:${ino} `) && !line.includes(` ${process.pid} `))
  } catch {
    return false
  }
}
