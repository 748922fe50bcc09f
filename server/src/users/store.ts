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

/** Counts one more try in one step with what was known before. `decide` may refuse it by throwing. */
export async function countAttempt(
  db: Kysely<Database>,
  target: string,
  decide: (before: AttemptRow | undefined) => Omit<AttemptRow, 'target'>,
): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const next = decide(await recentAttempts(trx, target))
    await trx
      .insertInto('attempt')
      .values({ target, ...next })
      .onConflict((conflict) => conflict.column('target').doUpdateSet(next))
      .execute()
    return next.failures
  })
}

export async function forgetAttempts(db: Kysely<Database>, target: string): Promise<void> {
  await db.deleteFrom('attempt').where('target', '=', target).execute()
}

/** Takes back one that was counted, and the wait that came with it. */
export async function uncountAttempt(db: Kysely<Database>, target: string): Promise<void> {
  await db
    .updateTable('attempt')
    .set((is) => ({ failures: is('failures', '-', 1), blocked_until: 0 }))
    .where('target', '=', target)
    .execute()
  await db.deleteFrom('attempt').where('target', '=', target).where('failures', '<=', 0).execute()
}

/**
 * Each try is remembered for `step` seconds after those before it. Refused, and not counted, while the last one would be
 * remembered for longer than `most`; what lies beyond even that was written while the clock was wrong.
 */
export async function chargeAttempt(
  db: Kysely<Database>,
  target: string,
  { now, step, most }: { now: number; step: number; most: number },
): Promise<boolean> {
  const charged = await db
    .insertInto('attempt')
    .values({ target, failures: 0, last_at: now, blocked_until: now + step })
    .onConflict((conflict) =>
      conflict
        .column('target')
        .doUpdateSet((is) => ({
          blocked_until: is
            .case()
            .when(is.or([is('attempt.blocked_until', '<', now), is('attempt.blocked_until', '>', now + most)]))
            .then(now + step)
            .else(is('attempt.blocked_until', '+', step))
            .end(),
          last_at: now,
        }))
        .where((is) =>
          is.or([is('attempt.blocked_until', '<=', now + most - step), is('attempt.blocked_until', '>', now + most)]),
        ),
    )
    .returning('target')
    .execute()
  return charged.length > 0
}

export async function unchargeAttempt(db: Kysely<Database>, target: string, step: number): Promise<void> {
  await db
    .updateTable('attempt')
    .set((is) => ({ blocked_until: is('blocked_until', '-', step) }))
    .where('target', '=', target)
    .execute()
}

/**
 * Clears away those outside of a time, and of the others the oldest beyond `most`, but no more than `atOnce`: nobody is to
 * wait for a large table. Tells whether it is done.
 */
export async function clearAttempts(
  db: Kysely<Database>,
  { before, after, most, atOnce }: { before: number; after: number; most: number; atOnce: number },
): Promise<boolean> {
  const all = db.selectFrom('attempt').select('target').orderBy('last_at')
  const remove = async (targets: typeof all) =>
    Number((await db.deleteFrom('attempt').where('target', 'in', targets).executeTakeFirstOrThrow()).numDeletedRows)
  const early = await remove(all.where('last_at', '<', before).limit(atOnce))
  const late = await remove(all.where('last_at', '>', after).limit(atOnce))
  const { count } = await db
    .selectFrom('attempt')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  const tooMany = count > most ? await remove(all.limit(Math.min(count - most, atOnce))) : 0
  return Math.max(early, late, tooMany) < atOnce
}
