import type { Kysely } from 'kysely'

// A migration is frozen once released, so it never imports the living schema.
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('inherited_user')
    .addColumn('user_id', 'integer', (column) => column.primaryKey().references('user.id').onDelete('cascade'))
    .addColumn('taken_at', 'bigint', (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('inherited_token')
    .addColumn('session_id', 'text', (column) => column.primaryKey())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('inherited_share')
    .addColumn('hash', 'text', (column) => column.primaryKey().references('share.hash').onDelete('cascade'))
    .addColumn('token_hash', 'text', (column) => column.notNull())
    .execute()
}
