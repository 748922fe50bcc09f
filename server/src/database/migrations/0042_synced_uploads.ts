import type { Kysely } from 'kysely'

/**
 * Pieces of an upload are acknowledged when they are written, and synced soon afterwards: after another boot only the
 * bytes count that were synced. Where nothing is noted, everything that was acknowledged had been.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('upload').addColumn('synced', 'bigint').execute()
  await db.schema.alterTable('upload').addColumn('kernel', 'text').execute()
}
