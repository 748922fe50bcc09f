import { type Kysely, sql } from 'kysely'
import { orderedByKey } from './dialects.ts'

/** Operations are found by a kept item that they need, and by the one that they restored, and not by reading all of a day. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await orderedByKey(
    db,
    db.schema
      .createTable('known_item')
      .addColumn('item', 'text', (column) => column.notNull())
      .addColumn('operation', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('known_item_key', ['item', 'operation']),
  ).execute()
  // What was restored since is not kept any more.
  await db.schema
    .createIndex('operation_restored')
    .on('operation')
    .column('from_location')
    .where(sql.ref('kind'), '=', sql.lit('restore'))
    .execute()
  await db.schema.createIndex('known_item_operation').on('known_item').column('operation').execute()
}
