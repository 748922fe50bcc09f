import { Database as Sqlite } from 'bun:sqlite'
import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import type { Kysely } from 'kysely'
import type { Database, DraftRow, LeavingRow, UploadRow } from '../database/schema.ts'
import { Failure } from '../failure.ts'

/** A consistent copy of the database, also while it is written to. */
export function snapshot(database: string, copy: string): void {
  const sqlite = new Sqlite(database, { readwrite: true })
  try {
    sqlite.run('pragma busy_timeout = 10000')
    // SQLite fills an empty file; one that it makes itself would be readable by all accounts.
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

/** Is it a Filestead database, and the one that the manifest describes? Checked before migrations add missing tables. */
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

/** Locks a database exclusively, and refuses when another process has it open. */
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

/** A database that SQLite cannot read may still be open in a server: /proc/locks lists the locks on it. */
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
 * Prepares the database of a backup for use. All sessions end, because those that were ended since would be valid again,
 * and the next start makes a new key. The rows of drafts are those of the replaced database, so that the next start
 * clears the drafts that lie on the disk now.
 */
export async function renew(
  db: Kysely<Database>,
  { drafts, leaving, uploads }: Unfinished,
  now: number,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('session').execute()
    // Tokens of File Browser that have not been used yet are sessions, too.
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
