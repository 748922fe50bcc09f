import { type Kysely, Transaction } from 'kysely'
import { durable } from './durable.ts'
import type { Database } from './schema.ts'

/** One transaction, synced when it is committed; inside of a larger one it is a part of that. */
export async function inTransaction<T>(
  db: Kysely<Database>,
  work: (trx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  if (db instanceof Transaction) return work(db)
  const result = await db.transaction().execute(work)
  await durable(db)
  return result
}
