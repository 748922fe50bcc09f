import { type Kysely, sql } from 'kysely'

/** When each user signed in last. Of those from before, the sessions tell it that are still there. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('sign_in')
    .ifNotExists()
    .addColumn('user_id', 'integer', (column) => column.primaryKey().references('user.id').onDelete('cascade'))
    .addColumn('at', 'bigint', (column) => column.notNull())
    .execute()
  await sql`insert into sign_in select user_id, max(created_at) from session group by user_id
    on conflict (user_id) do nothing`.execute(db)
}
