import { type Kysely, sql } from 'kysely'

/**
 * What was displaced and is kept, what was done and can be taken back, and what each mount keeps. An installation that is
 * there already keeps nothing until an administrator has chosen.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('kept')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('mount', 'integer', (column) => column.notNull())
    .addColumn('store', 'text', (column) => column.notNull())
    .addColumn('place', 'text', (column) => column.notNull())
    .addColumn('location', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('size', 'bigint')
    .addColumn('modified_at', 'bigint', (column) => column.notNull())
    .addColumn('kept_at', 'bigint', (column) => column.notNull())
    .addColumn('user_id', 'integer')
    .addColumn('username', 'text', (column) => column.notNull())
    .addColumn('door', 'text', (column) => column.notNull())
    .addColumn('cause', 'text', (column) => column.notNull())
    .addColumn('operation', 'text')
    .addColumn('restricted', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await db.schema.createIndex('kept_place').on('kept').columns(['mount', 'place']).unique().execute()
  await db.schema.createIndex('kept_location').on('kept').columns(['location', 'kept_at']).execute()
  await db.schema.createIndex('kept_store').on('kept').columns(['store', 'kept_at', 'id']).execute()
  await db.schema.createIndex('kept_operation').on('kept').column('operation').execute()
  await db.schema
    .createTable('operation')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('batch', 'text', (column) => column.notNull())
    .addColumn('user_id', 'integer', (column) => column.notNull())
    .addColumn('door', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('from_location', 'text')
    .addColumn('to_location', 'text')
    .addColumn('effects', 'text', (column) => column.notNull())
    .addColumn('undoes', 'text')
    .addColumn('undone_by', 'text')
    .addColumn('node', 'text')
    .addColumn('at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('operation_user').on('operation').columns(['user_id', 'at']).execute()
  await db.schema.createIndex('operation_batch').on('operation').columns(['batch', 'id']).execute()
  // Few are under way at a time.
  await db.schema
    .createIndex('operation_node')
    .on('operation')
    .column('node')
    .where(sql.ref('node'), 'is not', null)
    .execute()
  await db.schema
    .createTable('former_grant')
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('location', 'text', (column) => column.notNull())
    .addColumn('rights', 'integer', (column) => column.notNull())
    .addColumn('ended_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('former_grant_key', ['subject', 'location', 'rights'])
    .execute()
  const usual = JSON.stringify({ trash: 'ask', versions: false })
  await db.schema
    .alterTable('mount')
    .addColumn('history', 'text', (column) => column.notNull().defaultTo(usual))
    .execute()
  // One without accounts was made a moment ago: all is kept from its first day on.
  await sql`UPDATE mount SET history = ${JSON.stringify({ trash: 'on', versions: true })} WHERE NOT EXISTS (SELECT 1 FROM ${sql.table('user')})`.execute(
    db,
  )
}
