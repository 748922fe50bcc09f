import type { Kysely } from 'kysely'

/**
 * Unfinished work belongs to a node. A file that is written in place is known by its identity as well as by its name,
 * under which something else may stand by the time a crash is mended.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('draft').addColumn('device', 'bigint').execute()
  await db.schema.alterTable('draft').addColumn('inode', 'bigint').execute()
  await db.schema.alterTable('draft').addColumn('born', 'text').execute()
  await db.schema.alterTable('draft').addColumn('size', 'bigint').execute()
  await db.schema.alterTable('draft').addColumn('modified', 'text').execute()
  await db.schema.alterTable('upload').addColumn('node', 'text').execute()
  await db.schema.alterTable('share').addColumn('doubted_by', 'text').execute()
}
