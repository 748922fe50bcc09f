import type { Kysely } from 'kysely'

// A migration is frozen once released, so it never imports the living schema.
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('share')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'integer', (column) => column.notNull().references('user.id').onDelete('cascade'))
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('path', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('password_hash', 'text', (column) => column.notNull())
    .addColumn('in_doubt', 'integer', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('share_user').on('share').column('user_id').execute()
}
