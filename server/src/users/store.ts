import type { User } from '@filestead/contract'
import type { Kysely, Transaction } from 'kysely'
import { nextNumber } from '../database/counters.ts'
import type { Database, UserRow } from '../database/schema.ts'

/** A user with what must never leave the server. */
export interface Account {
  readonly user: User
  readonly passwordHash: string
  /** Unix seconds; older tokens carry outdated preferences. */
  readonly changedAt: number
}

export async function accountNamed(db: Kysely<Database>, username: string): Promise<Account | undefined> {
  const row = await db.selectFrom('user').selectAll().where('username', '=', username).executeTakeFirst()
  return row && toAccount(row)
}

export async function accountWithId(db: Kysely<Database>, id: number): Promise<Account | undefined> {
  const row = await db.selectFrom('user').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toAccount(row)
}

export async function allUsers(db: Kysely<Database>): Promise<User[]> {
  const rows = await db.selectFrom('user').selectAll().orderBy('id').execute()
  return rows.map((row) => toAccount(row).user)
}

export async function allAccounts(db: Kysely<Database>): Promise<Account[]> {
  return (await db.selectFrom('user').selectAll().orderBy('id').execute()).map(toAccount)
}

/** In ascending order. */
export async function userIds(db: Kysely<Database>): Promise<number[]> {
  return (await db.selectFrom('user').select('id').orderBy('id').execute()).map(({ id }) => id)
}

/** Names by id. */
export async function usernames(db: Kysely<Database>): Promise<Map<number, string>> {
  const rows = await db.selectFrom('user').select(['id', 'username']).execute()
  return new Map(rows.map(({ id, username }) => [id, username]))
}

/** With a number that no other account has had, unless one is given. */
export async function insertUser(trx: Transaction<Database>, account: Account, given?: number): Promise<number> {
  const id = given ?? (await nextNumber(trx, 'user'))
  await trx
    .insertInto('user')
    .values({ ...toRow(account), id })
    .execute()
  return id
}

export async function saveUser(trx: Transaction<Database>, account: Account): Promise<void> {
  await trx.updateTable('user').set(toRow(account)).where('id', '=', account.user.id).execute()
}

/** The sessions of the user go with it, and the rows that say in which groups it was. */
export async function deleteUser(trx: Transaction<Database>, id: number): Promise<void> {
  await trx.deleteFrom('user').where('id', '=', id).execute()
}

/** All that a user consists of. */
export const userColumns = [
  'id',
  'username',
  'scope',
  'profile',
  'password_hash',
  'changed_at',
] as const satisfies readonly (keyof UserRow)[]

export const toAccount = (row: UserRow): Account => ({
  user: { id: row.id, username: row.username, password: '', scope: row.scope, ...JSON.parse(row.profile) },
  passwordHash: row.password_hash,
  changedAt: row.changed_at,
})

export function toRow({ user, passwordHash, changedAt }: Account): Omit<UserRow, 'id'> {
  const { id: _id, password: _password, username, scope, ...profile } = user
  return { username, scope, profile: JSON.stringify(profile), password_hash: passwordHash, changed_at: changedAt }
}
