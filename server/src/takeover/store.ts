import type { Kysely, Transaction } from 'kysely'
import type { Database, InheritedShareRow, NewShareRow, UserRow } from '../database/schema.ts'

export async function insertUsers(trx: Transaction<Database>, users: readonly UserRow[], now: number): Promise<void> {
  await trx.insertInto('user').values(users).execute()
  await trx
    .insertInto('inherited_user')
    .values(users.map(({ id }) => ({ user_id: id, taken_at: now })))
    .execute()
}

export async function insertShares(
  trx: Transaction<Database>,
  shares: readonly NewShareRow[],
  tokens: readonly InheritedShareRow[],
): Promise<void> {
  // Symlinks in their paths have not been resolved yet.
  await trx
    .insertInto('share')
    .values(shares.map((share) => ({ ...share, through_link: 1 })))
    .execute()
  if (tokens.length > 0) await trx.insertInto('inherited_share').values(tokens).execute()
}

/** The next user gets a higher id than this. */
export async function raiseLastId(trx: Transaction<Database>, lastId: number): Promise<void> {
  await trx
    .insertInto('counter')
    .values({ name: 'user', value: lastId })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: lastId }))
    .execute()
}

export async function hasUsers(db: Kysely<Database>): Promise<boolean> {
  return (await db.selectFrom('user').select('id').limit(1).executeTakeFirst()) !== undefined
}
