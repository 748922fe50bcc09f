import type { Kysely } from 'kysely'

/**
 * Attempts are found by a hash of what was tried, and cleared away by their time. Rows under the old keys would never be
 * found again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await (db as Kysely<{ attempt: object }>).deleteFrom('attempt').execute()
  await db.schema.createIndex('attempt_last_at').ifNotExists().on('attempt').column('last_at').execute()
}
