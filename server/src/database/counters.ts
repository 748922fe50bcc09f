import type { Kysely, Transaction } from 'kysely'
import { prepared } from './port.ts'
import type { CounterRow, Database } from './schema.ts'

/** The next number of a counter. None is given twice, also after the row that had it is gone. */
export async function nextNumber(trx: Transaction<Database>, name: CounterRow['name']): Promise<number> {
  const { value } = await trx
    .insertInto('counter')
    .values({ name, value: 1 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet((is) => ({ value: is('counter.value', '+', 1) })))
    .returning('value')
    .executeTakeFirstOrThrow()
  return value
}

/**
 * Counts up with every change of mounts, groups, members and grants, in the transaction of the change: what requests keep
 * of them is read again when it has.
 */
export const touchAccess = (trx: Transaction<Database>): Promise<number> => nextNumber(trx, 'access')

/** Asked with every request. */
export function accessVersion(db: Kysely<Database>): () => Promise<number> {
  const find = prepared(db, db.selectFrom('counter').select('value').where('name', '=', 'access'))
  return async () => (await find('access'))?.value ?? 0
}
