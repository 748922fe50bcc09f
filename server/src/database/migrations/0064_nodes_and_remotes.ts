import type { Kysely } from 'kysely'

/** What nodes tell each other, which version each one is, and drafts on servers elsewhere. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('node')
    .addColumn('version', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await db.schema
    .createTable('message')
    .addColumn('id', 'bigint', (column) => column.primaryKey())
    .addColumn('sender', 'text', (column) => column.notNull())
    .addColumn('receiver', 'text')
    .addColumn('topic', 'text', (column) => column.notNull())
    .addColumn('answers', 'bigint')
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('remote_draft')
    .addColumn('mount', 'integer', (column) => column.notNull())
    .addColumn('path', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('holder', 'text')
    .addColumn('saved_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('remote_draft_key', ['mount', 'path', 'id'])
    .execute()
}
