import { type Kysely, sql } from 'kysely'
import { orderedByKey } from './dialects.ts'

/**
 * Every small file is a row that comes and goes. The row lies in the order of its id, which is that of time, and the
 * few that have expired are found without an index: a row then costs two pages instead of four.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const table = db.schema
    .createTable('slim_upload')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'integer', (column) => column.notNull())
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('path', 'text', (column) => column.notNull())
    .addColumn('place', 'text', (column) => column.notNull())
    .addColumn('length', 'bigint', (column) => column.notNull())
    .addColumn('override', 'integer', (column) => column.notNull())
    .addColumn('modified', 'bigint')
    .addColumn('may_rewind', 'integer', (column) => column.notNull())
    .addColumn('trusted', 'bigint')
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('metadata', 'text')
  await orderedByKey(db, table).execute()
  await sql`insert into slim_upload select
    id, user_id, scope, path, place, length, override, modified, may_rewind, trusted, expires_at, metadata
    from upload`.execute(db)
  await db.schema.dropTable('upload').execute()
  await db.schema.alterTable('slim_upload').renameTo('upload').execute()
  await db.schema.createIndex('upload_path').on('upload').columns(['user_id', 'path', 'scope', 'id']).execute()
}
