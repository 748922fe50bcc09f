import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('upload')
    .addColumn('id', 'text', (column) => column.primaryKey())
    // Without a reference: the row of a deleted user is what leads to the draft that must be removed.
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
    .execute()
  await db.schema.createIndex('upload_path').on('upload').columns(['user_id', 'path', 'scope', 'id']).execute()
  await db.schema.createIndex('upload_expiry').on('upload').column('expires_at').execute()
}
