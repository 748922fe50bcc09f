import type { User } from '@filestead/contract'
import { type Kysely, Transaction } from 'kysely'
import { durable } from '../database/durable.ts'
import type { AttemptRow, Database, UserRow } from '../database/schema.ts'

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

/** Everything that must be true of all users together is decided inside one transaction, which may be a larger one. */
export async function inTransaction<T>(
  db: Kysely<Database>,
  work: (trx: Transaction<Database>) => Promise<T>,
): Promise<T> {
  if (db instanceof Transaction) return work(db)
  const result = await db.transaction().execute(work)
  await durable(db)
  return result
}

export async function insertUser(trx: Transaction<Database>, account: Account): Promise<number> {
  const { value: id } = await trx
    .insertInto('counter')
    .values({ name: 'user', value: 1 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet((is) => ({ value: is('counter.value', '+', 1) })))
    .returning('value')
    .executeTakeFirstOrThrow()
  await trx
    .insertInto('user')
    .values({ ...toRow(account), id })
    .execute()
  return id
}

export async function saveUser(trx: Transaction<Database>, account: Account): Promise<void> {
  await trx.updateTable('user').set(toRow(account)).where('id', '=', account.user.id).execute()
}

/** The sessions of the user go with it. */
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

export const recentAttempts = (db: Kysely<Database>, target: string): Promise<AttemptRow | undefined> =>
  db.selectFrom('attempt').selectAll().where('target', '=', target).executeTakeFirst()

/** Counts one more try and tells how many there were in a row; those long ago no longer count. */
export async function countAttempt(
  db: Kysely<Database>,
  target: string,
  { now, forgottenAt }: { now: number; forgottenAt: number },
): Promise<number> {
  await db
    .deleteFrom('attempt')
    .where('last_at', '<', now - 86_400)
    .execute()
  const { failures } = await db
    .insertInto('attempt')
    .values({ target, failures: 1, last_at: now, blocked_until: 0 })
    .onConflict((conflict) =>
      conflict.column('target').doUpdateSet((is) => ({
        failures: is
          .case()
          .when('attempt.last_at', '<', forgottenAt)
          .then(1)
          .else(is('attempt.failures', '+', 1))
          .end(),
        last_at: now,
      })),
    )
    .returning('failures')
    .executeTakeFirstOrThrow()
  return failures
}

export async function blockAttempts(db: Kysely<Database>, target: string, until: number): Promise<void> {
  await db.updateTable('attempt').set({ blocked_until: until }).where('target', '=', target).execute()
}

export async function forgetAttempts(db: Kysely<Database>, target: string): Promise<void> {
  await db.deleteFrom('attempt').where('target', '=', target).execute()
}
