import type { Kysely, Transaction } from 'kysely'
import { prepared } from './port.ts'
import type { CounterRow, Database } from './schema.ts'

/** The next number of a counter. None is given twice, also after the row that had it is gone. */
export const nextNumber = (trx: Transaction<Database>, name: CounterRow['name']): Promise<number> =>
  nextNumbers(trx, name, 1)

/** The first of so many numbers that follow each other. */
export async function nextNumbers(
  trx: Transaction<Database>,
  name: CounterRow['name'],
  count: number,
): Promise<number> {
  const { value } = await trx
    .insertInto('counter')
    .values({ name, value: count })
    .onConflict((conflict) => conflict.column('name').doUpdateSet((is) => ({ value: is('counter.value', '+', count) })))
    .returning('value')
    .executeTakeFirstOrThrow()
  return value - count + 1
}

/** The last number that a counter has given; 0 where it has given none. */
export async function lastNumber(db: Kysely<Database>, name: CounterRow['name']): Promise<number> {
  const row = await db.selectFrom('counter').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value ?? 0
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
