import type { Kysely } from 'kysely'

/** The nodes that work on this database: unfinished work names one of them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('node')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('host', 'text', (column) => column.notNull())
    .addColumn('kernel', 'text', (column) => column.notNull())
    .addColumn('lease', 'text', (column) => column.notNull())
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('beaten_at', 'bigint', (column) => column.notNull())
    .addColumn('beats', 'bigint', (column) => column.notNull())
    .execute()
}
