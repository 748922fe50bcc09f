import type { Kysely } from 'kysely'

/** Work that goes on after its request and after a restart. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('job')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'integer', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('plan', 'text', (column) => column.notNull())
    .addColumn('summary', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('choices', 'text', (column) => column.notNull())
    .addColumn('cursor', 'integer', (column) => column.notNull())
    .addColumn('notes', 'text', (column) => column.notNull())
    .addColumn('files_done', 'integer', (column) => column.notNull())
    .addColumn('bytes_done', 'bigint', (column) => column.notNull())
    .addColumn('files_total', 'integer')
    .addColumn('bytes_total', 'bigint')
    .addColumn('problem', 'text')
    .addColumn('message', 'text')
    .addColumn('node', 'text')
    .addColumn('created_at', 'integer', (column) => column.notNull())
    .addColumn('started_at', 'integer')
    .addColumn('ended_at', 'integer')
    .execute()
  await db.schema.createIndex('job_user').on('job').columns(['user_id', 'id']).execute()
  await db.schema.createIndex('job_state').on('job').column('state').execute()
}
