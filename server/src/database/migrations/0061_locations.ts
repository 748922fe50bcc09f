import { posix } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { orderedByKey } from './dialects.ts'

/**
 * Links, uploads, favourites and changes say where their files lie, whoever asks: in the first mount, which was the only
 * one, the scope of the account followed by the path. What lies at or below a folder is a range of the location's index.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await locateShares(db)
  await locateUploads(db)
  await locateFavourites(db)
  await locateChanges(db)
}

async function locateShares(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex('share_place').execute()
  await db.schema
    .alterTable('share')
    .addColumn('location', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await normaliseScopes(db, 'share')
  // The first versions took paths over from File Browser as they were written there.
  const { rows } = await sql<{ hash: string; path: string }>`select hash, path from share
    where path like '%//%' or path like '%/./%' or path like '%/../%' or path like '_%/' or path like '%/..'
      or path like '%/.' or path not like '/%'`.execute(db)
  for (const { hash, path } of rows) {
    if (path.split('/').includes('..')) await sql`delete from share where hash = ${hash}`.execute(db)
    else await sql`update share set path = ${folderOf(path)} where hash = ${hash}`.execute(db)
  }
  await sql`update share set location = ${scopeFollowedBy('path')}`.execute(db)
  for (const column of ['scope', 'path']) await db.schema.alterTable('share').dropColumn(column).execute()
  await db.schema.createIndex('share_location').on('share').column('location').execute()
}

async function locateUploads(db: Kysely<unknown>): Promise<void> {
  const table = db.schema
    .createTable('located_upload')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'integer', (column) => column.notNull())
    .addColumn('location', 'text', (column) => column.notNull())
    .addColumn('place', 'text', (column) => column.notNull())
    .addColumn('length', 'bigint', (column) => column.notNull())
    .addColumn('override', 'integer', (column) => column.notNull())
    .addColumn('modified', 'bigint')
    .addColumn('may_rewind', 'integer', (column) => column.notNull())
    .addColumn('trusted', 'bigint')
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('metadata', 'text')
    .addColumn('node', 'text')
    .addColumn('synced', 'bigint')
    .addColumn('kernel', 'text')
  await orderedByKey(db, table).execute()
  await sql`insert into located_upload select id, user_id, ${scopeFollowedBy('path')}, ${scopeFollowedBy('place')},
    length, override, modified, may_rewind, trusted, expires_at, metadata, node, synced, kernel
    from upload`.execute(db)
  await db.schema.dropTable('upload').execute()
  await db.schema.alterTable('located_upload').renameTo('upload').execute()
  await db.schema.createIndex('upload_location').on('upload').columns(['location', 'user_id', 'id']).execute()
  // Nearly every draft lies at the location of its upload: an index of its own finds the few that do not.
  await sql`create index upload_moved on upload (place) where place <> location`.execute(db)
}

async function locateFavourites(db: Kysely<unknown>): Promise<void> {
  await orderedByKey(
    db,
    db.schema
      .createTable('located_favourite')
      .addColumn('user_id', 'integer', (column) => column.notNull().references('user.id').onDelete('cascade'))
      .addColumn('location', 'text', (column) => column.notNull())
      .addColumn('added_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('located_favourite_key', ['user_id', 'location']),
  ).execute()
  // Two scopes may have led to one folder.
  await sql`insert into located_favourite select user_id, ${scopeFollowedBy('path')} as location, min(added_at)
    from favourite group by user_id, location`.execute(db)
  await db.schema.dropTable('favourite').execute()
  await db.schema.alterTable('located_favourite').renameTo('favourite').execute()
  await db.schema.createIndex('favourite_location').on('favourite').column('location').execute()
}

/** The new version finishes or takes back what the old one left. */
async function locateChanges(db: Kysely<unknown>): Promise<void> {
  for (const column of ['from_location', 'to_location'])
    await db.schema.alterTable('change').addColumn(column, 'text').execute()
  await normaliseScopes(db, 'change')
  const { rows } = await sql<{ id: string; notes: string }>`select id, notes from change`.execute(db)
  for (const { id, notes } of rows)
    await sql`update change set notes = ${locatedNotes(notes)} where id = ${id}`.execute(db)
  await sql`update change set from_location = ${scopeFollowedBy('from_path')},
    to_location = ${scopeFollowedBy('to_path')}`.execute(db)
  for (const column of ['scope', 'from_path', 'to_path'])
    await db.schema.alterTable('change').dropColumn(column).execute()
}

/** Null where the column is. */
const scopeFollowedBy = (column: string) =>
  sql<string>`case when scope = '/' or ${sql.ref(column)} is null then ${sql.ref(column)}
    when ${sql.ref(column)} = '/' then scope else scope || ${sql.ref(column)} end`

/** A scope may be written as '.', 'home' or '/home/'. */
async function normaliseScopes(db: Kysely<unknown>, table: 'share' | 'change'): Promise<void> {
  const { rows } = await sql<{ scope: string }>`select distinct scope from ${sql.table(table)}`.execute(db)
  for (const { scope } of rows)
    if (folderOf(scope) !== scope)
      await sql`update ${sql.table(table)} set scope = ${folderOf(scope)} where scope = ${scope}`.execute(db)
}

const folderOf = (path: string): string => posix.join('/', path).replace(/(.)\/$/, '$1')

/** Where the first mount has what an account of this scope calls `path`. */
export const locationOf = (scope: string, path: string): string => {
  const folder = folderOf(scope)
  return folder === '/' ? path : path === '/' ? folder : folder + path
}

interface OldNote {
  readonly scope: string
  readonly path: string
  readonly to: string | null
}

/** Notes that cannot be read stay as they are: recovery reports them. */
function locatedNotes(text: string): string {
  try {
    const notes: { shares?: unknown } = JSON.parse(text)
    if (!Array.isArray(notes.shares)) return text
    const shares = notes.shares.map(({ scope, path, to, ...rest }: OldNote) => ({
      ...rest,
      location: locationOf(scope, path),
      to: to === null ? null : locationOf(scope, to),
    }))
    return JSON.stringify({ ...notes, shares })
  } catch {
    return text
  }
}
