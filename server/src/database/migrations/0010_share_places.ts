import { type Kysely, sql } from 'kysely'

/**
 * Whatever is moved or removed asks which shares lie there, so that has to be found without looking at all of them. A
 * share lies at its scope followed by its path, unless a link stands in the way; which of the old ones have one is looked
 * up when the server has started.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('share')
    .addColumn('through_link', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await sql`update share set through_link = 1`.execute(db)
  await db.schema.createIndex('share_place').on('share').expression(sql`(scope || path)`).execute()
  await sql`create index share_through_link on share (through_link) where through_link = 1`.execute(db)
}
