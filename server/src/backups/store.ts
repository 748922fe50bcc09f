import { Database as Sqlite } from 'bun:sqlite'
import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import type { Kysely } from 'kysely'
import type { Database, DraftRow, LeavingRow, UploadRow } from '../database/schema.ts'
import { Failure } from '../failure.ts'

/** A copy of the database as it is at this moment, whoever is writing to it. */
export function snapshot(database: string, copy: string): void {
  const sqlite = new Sqlite(database, { readwrite: true })
  try {
    sqlite.run('pragma busy_timeout = 10000')
    // SQLite takes an empty file for its copy, and it would make one that everybody may read.
    closeSync(openSync(copy, 'wx', 0o600))
    sqlite.run('vacuum into ?', [copy])
  } finally {
    sqlite.close()
  }
}

export function migrationsIn(file: string): string[] {
  const sqlite = new Sqlite(file, { readonly: true })
  try {
    const rows = sqlite.query<{ name: string }, []>('select name from kysely_migration order by name').all()
    return rows.map(({ name }) => name)
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

/** Is it a database of ours, and the one that the manifest speaks of? Asked before a missing table would be made. */
export function isFilesteads(file: string, migrations: readonly string[]): boolean {
  try {
    const done = migrationsIn(file)
    return done.length > 0 && done.join() === [...migrations].sort().join()
  } catch {
    return false
  }
}

/** What a database knows of unfinished files on the disk, which lie there whatever it is replaced with. */
export interface Unfinished {
  readonly drafts: readonly DraftRow[]
  readonly leaving: readonly LeavingRow[]
  readonly uploads: readonly UploadRow[]
}

export interface Held extends Disposable {
  readonly unfinished: Unfinished
}

/** Keeps everybody else out of a database, and refuses when somebody is in. */
export function holdAlone(database: string): Held {
  const sqlite = new Sqlite(database, { readwrite: true })
  const release = () => sqlite.close()
  try {
    sqlite.run('pragma busy_timeout = 500')
    sqlite.run('pragma locking_mode = exclusive')
    sqlite.run('begin exclusive')
    const unfinished = unfinishedIn(sqlite)
    sqlite.run('commit')
    // All of it in the one file, which can then be renamed alone.
    sqlite.run('pragma wal_checkpoint(truncate)')
    return { unfinished, [Symbol.dispose]: release }
  } catch (error) {
    release()
    const { code } = error as { code?: string }
    if (code === 'SQLITE_BUSY' || hasLocks(database)) throw inUse(database)
    // Damaged: that may be the very reason why it is replaced.
    return { unfinished: { drafts: [], leaving: [], uploads: [] }, [Symbol.dispose]: () => {} }
  }
}

const inUse = (database: string): Failure =>
  new Failure('locked', `a server, or another command, is using ${database}; stop it first`)

/** A database that SQLite cannot read may still be open in a server: the kernel knows who holds locks on it. */
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

function unfinishedIn(sqlite: Sqlite): Unfinished {
  const tables = new Set(
    sqlite
      .query<{ name: string }, []>("select name from sqlite_master where type = 'table'")
      .all()
      .map(({ name }) => name),
  )
  return {
    drafts: tables.has('draft') ? sqlite.query<DraftRow, []>('select * from draft').all() : [],
    leaving: tables.has('leaving') ? sqlite.query<LeavingRow, []>('select * from leaving').all() : [],
    uploads: tables.has('upload') ? sqlite.query<UploadRow, []>('select * from upload').all() : [],
  }
}

/**
 * Makes a database from a backup fit for today: everybody signs in again, because who signed out since would be signed
 * in once more, and the next start makes a new key; of unfinished files it learns what lies on the disk now, to be cleared away at the next start.
 */
export async function renew(
  db: Kysely<Database>,
  { drafts, leaving, uploads }: Unfinished,
  now: number,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('session').execute()
    // Tokens from before the move are sessions that nobody has used yet.
    await trx.deleteFrom('inherited_user').execute()
    // The key of the backup may have been seen by others, and that of the database that is put aside as well.
    await trx.deleteFrom('setting').where('name', '=', 'key').execute()
    await trx.deleteFrom('attempt').execute()
    await trx.deleteFrom('draft').execute()
    await trx.deleteFrom('leaving').execute()
    await trx.deleteFrom('upload').execute()
    const users = new Set((await trx.selectFrom('user').select('id').execute()).map(({ id }) => id))
    for (const draft of drafts) await trx.insertInto('draft').values(draft).execute()
    for (const source of leaving) await trx.insertInto('leaving').values(source).execute()
    for (const upload of uploads)
      if (users.has(upload.user_id))
        await trx
          .insertInto('upload')
          .values({ ...upload, expires_at: now - 1 })
          .execute()
  })
}
