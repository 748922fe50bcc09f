import type { Kysely } from 'kysely'
import type { Database } from '../schema.ts'
import { orderedByKey } from './dialects.ts'

/**
 * Several roots, groups and rights per folder. The folder that was served alone becomes the first mount; no grant is made,
 * because the scope of an account stays what it may use.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('mount')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('folder', 'text', (column) => column.notNull())
    .addColumn('links', 'text', (column) => column.notNull())
    .addColumn('read_only', 'integer', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('circle')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('source', 'text', (column) => column.notNull())
    .execute()
  await orderedByKey(
    db,
    db.schema
      .createTable('member')
      .addColumn('user_id', 'integer', (column) => column.notNull().references('user.id').onDelete('cascade'))
      .addColumn('circle_id', 'integer', (column) => column.notNull().references('circle.id').onDelete('cascade'))
      .addPrimaryKeyConstraint('member_key', ['user_id', 'circle_id']),
  ).execute()
  await db.schema.createIndex('member_circle').on('member').column('circle_id').execute()
  await db.schema
    .createTable('grant')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('location', 'text', (column) => column.notNull())
    .addColumn('rights', 'integer', (column) => column.notNull())
    .addUniqueConstraint('grant_key', ['subject', 'location'])
    .execute()
  await db.schema.createIndex('grant_location').on('grant').column('location').execute()
  await (db as Kysely<Database>)
    .insertInto('mount')
    .values({ id: 1, name: 'Files', folder: '', links: 'inside', read_only: 0, source: 'root' })
    .execute()
}
