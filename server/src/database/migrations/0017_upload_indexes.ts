import { posix } from 'node:path'
import { type Kysely, sql } from 'kysely'

/**
 * A move of a folder asks which uploads lie below it, so that has to be found without reading all of them. Nearly every
 * draft lies at the path of its upload: the index by path, which each upload needs anyway, finds those, and an index of
 * its own only the few that have been moved or lie behind a symlink. A scope becomes a path without '.' or a missing
 * slash, so that the scopes above and below a folder are ranges of the index. Expired sessions are found the same way.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ scope: string }>`select distinct scope from upload`.execute(db)
  for (const { scope } of rows) {
    const folder = posix.join('/', scope).replace(/(.)\/$/, '$1')
    if (folder !== scope) await sql`update upload set scope = ${folder} where scope = ${scope}`.execute(db)
  }
  await db.schema.dropIndex('upload_path').ifExists().execute()
  await db.schema.createIndex('upload_path').on('upload').columns(['scope', 'path', 'user_id', 'id']).execute()
  await sql`create index if not exists upload_moved on upload (scope, place) where place <> path`.execute(db)
  await db.schema.createIndex('session_expiry').ifNotExists().on('session').column('expires_at').execute()
}
