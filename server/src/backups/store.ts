import type { Kysely } from 'kysely'
import { locationOf } from '../database/migrations/0061_locations.ts'
import { durableTransaction } from '../database/port.ts'
import type { Database, DraftRow, LeavingRow, RemoteDraftRow, UploadRow } from '../database/schema.ts'
import { holdAlone, readFrom } from '../database/sqlite/files.ts'

/** Whether a file is a database with exactly these migrations. Checked before opening it would add tables. */
export function hasMigrations(file: string, migrations: readonly string[]): boolean {
  try {
    const done = readFrom(file, (tables) => tables.migrations())
    return done.length > 0 && done.join() === [...migrations].sort().join()
  } catch {
    return false
  }
}

/** Rows about unfinished files on the disk, which stay there when the database is replaced. */
export interface Unfinished {
  readonly drafts: readonly DraftRow[]
  readonly leaving: readonly LeavingRow[]
  readonly remoteDrafts: readonly RemoteDraftRow[]
  readonly uploads: readonly UploadRow[]
}

export const nothingUnfinished: Unfinished = { drafts: [], leaving: [], remoteDrafts: [], uploads: [] }

export interface Held extends Disposable {
  readonly unfinished: Unfinished
}

/** An upload as an older version noted it: the database that is replaced is not brought up to date. */
type OldUploadRow = Omit<UploadRow, 'location'> & { readonly scope?: string; readonly path?: string }

function located({ scope, path, ...row }: UploadRow & OldUploadRow): UploadRow {
  if (scope === undefined || path === undefined) return row
  return { ...row, location: locationOf(scope, path), place: locationOf(scope, row.place) }
}

/** Locks a database exclusively and reads its unfinished rows; refused while another process has it open. */
export function lockForRestore(database: string): Held {
  const held = holdAlone(database, (tables) => ({
    drafts: tables.rows('draft'),
    leaving: tables.rows('leaving'),
    remoteDrafts: tables.rows('remote_draft'),
    uploads: tables.rows('upload').map(located),
  }))
  const { found = nothingUnfinished } = held
  return { unfinished: found, [Symbol.dispose]: () => held[Symbol.dispose]() }
}

export const unfinishedIn = async (db: Kysely<Database>): Promise<Unfinished> => ({
  drafts: await db.selectFrom('draft').selectAll().execute(),
  leaving: await db.selectFrom('leaving').selectAll().execute(),
  remoteDrafts: await db.selectFrom('remote_draft').selectAll().execute(),
  uploads: await db.selectFrom('upload').selectAll().execute(),
})

/**
 * Prepares the database of a backup for use. Its sessions are removed: those that were ended since the backup would be
 * valid again. The next start makes a new key. The rows of drafts are those of the replaced database, so that the next
 * start removes the drafts that are on the disk. Jobs that were under way do not go on: what they were to remove or to
 * replace is another thing by now.
 */
export async function resetSessionsAndDrafts(
  db: Kysely<Database>,
  { drafts, leaving, remoteDrafts, uploads }: Unfinished,
  now: number,
): Promise<void> {
  await durableTransaction(db, 'serializable', async (trx) => {
    await trx.deleteFrom('session').execute()
    // Tokens of File Browser that have not been used yet are sessions, too.
    await trx.deleteFrom('inherited_user').execute()
    // The backup and the replaced database are copies of the key, which may have been read.
    await trx.deleteFrom('setting').where('name', '=', 'key').execute()
    await trx.deleteFrom('attempt').execute()
    await trx.deleteFrom('node').execute()
    await trx.deleteFrom('draft').execute()
    await trx.deleteFrom('leaving').execute()
    await trx.deleteFrom('remote_draft').execute()
    await trx.deleteFrom('upload').execute()
    await trx
      .updateTable('job')
      .set({ state: 'failed', problem: 'unavailable', message: notResumed, node: null, ended_at: now })
      .where('state', 'not in', ['done', 'failed', 'cancelled'])
      .execute()
    const users = new Set((await trx.selectFrom('user').select('id').execute()).map(({ id }) => id))
    for (const draft of drafts) await trx.insertInto('draft').values(draft).execute()
    for (const source of leaving) await trx.insertInto('leaving').values(source).execute()
    for (const draft of remoteDrafts) await trx.insertInto('remote_draft').values(draft).execute()
    // Guests have no account, and numbers below zero.
    for (const upload of uploads)
      if (users.has(upload.user_id) || upload.user_id <= 0)
        await trx
          .insertInto('upload')
          .values({ ...upload, expires_at: now - 1 })
          .execute()
  })
}

const notResumed = 'The database was restored from a backup meanwhile. Begin it again if it is still wanted'
