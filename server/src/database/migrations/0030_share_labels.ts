import type { Kysely } from 'kysely'

/** Several links to one file are told apart by a label and by the day they were made. Older ones have neither: '' and 0. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('share')
    .addColumn('label', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await db.schema
    .alterTable('share')
    .addColumn('created_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
}
