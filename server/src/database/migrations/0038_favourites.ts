import { type Kysely, sql } from 'kysely'
import { orderedByKey } from './dialects.ts'

/** Folders that users keep at hand. A path counts from the scope that the user had when it was added. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await orderedByKey(
    db,
    db.schema
      .createTable('favourite')
      .addColumn('user_id', 'integer', (column) => column.notNull().references('user.id').onDelete('cascade'))
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('path', 'text', (column) => column.notNull())
      .addColumn('added_at', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('favourite_key', ['user_id', 'scope', 'path']),
  ).execute()
  // Whatever is moved or removed asks which favourites lie there.
  await db.schema.createIndex('favourite_place').on('favourite').expression(sql`(scope || path)`).execute()
}
