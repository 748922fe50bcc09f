import { type Kysely, sql } from 'kysely'

/**
 * Changes that are under way are rows with what is needed to finish them. A share names the change that concerns it. Of
 * shares that were in doubt before, nothing is known that could settle it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('change')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('node', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('user_id', 'integer', (column) => column.notNull())
    .addColumn('username', 'text', (column) => column.notNull())
    .addColumn('door', 'text', (column) => column.notNull())
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('from_path', 'text')
    .addColumn('to_path', 'text')
    .addColumn('size', 'bigint')
    .addColumn('notes', 'text', (column) => column.notNull())
    .addColumn('began_at', 'bigint', (column) => column.notNull())
    .execute()
  await sql`delete from share where in_doubt = 1`.execute(db)
  await db.schema.alterTable('share').dropColumn('in_doubt').execute()
  await db.schema.alterTable('share').dropColumn('doubted_by').execute()
  await db.schema.alterTable('share').addColumn('change_id', 'text').execute()
  await sql`create index share_change on share (change_id) where change_id is not null`.execute(db)
}
