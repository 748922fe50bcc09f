import type { Kysely } from 'kysely'

/** What is being moved to another disk lies hidden meanwhile; after a crash it has to come back. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('leaving')
    .addColumn('place', 'text', (column) => column.primaryKey())
    .addColumn('original', 'text', (column) => column.notNull())
    .addColumn('arrived_since', 'double precision')
    .addColumn('owner', 'text', (column) => column.notNull())
    .execute()
}
