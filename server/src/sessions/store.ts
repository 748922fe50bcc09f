import type { Kysely } from 'kysely'
import { bestEffort, durable, durableTransaction, prepared, preparedChange, transaction } from '../database/port.ts'
import type { Database, SessionRow, SignInRow, UserRow } from '../database/schema.ts'
import { type Versions, versionColumns, versionsIn } from '../database/versions.ts'
import { networkOf } from '../http/networks.ts'
import { type Account, toAccount, userColumns } from '../users/store.ts'

/** The name and hash that the credentials were checked against; no hash where a proxy or program vouched for the user. */
export interface SignInProof {
  readonly username: string
  readonly passwordHash: string | undefined
}

/**
 * Inserts only while the user still has that name and hash, because both may change while the password is checked.
 * False, and no session, otherwise.
 */
export async function insertSession(
  db: Kysely<Database>,
  session: SessionRow,
  { username, passwordHash }: SignInProof,
): Promise<boolean> {
  const columns = Object.keys(session) as (keyof SessionRow)[]
  // A new password ends all sessions, and does not see one that is being inserted.
  const { numInsertedOrUpdatedRows = 0n } = await transaction(db, 'serializable', (trx) =>
    trx
      .insertInto('session')
      .columns(columns)
      .expression((is) =>
        is
          .selectFrom('user')
          .select(columns.map((column) => is.val(session[column]).as(column)))
          .where('id', '=', session.user_id)
          .where('username', '=', username)
          .$if(passwordHash !== undefined, (query) => query.where('password_hash', '=', passwordHash ?? '')),
      )
      .executeTakeFirstOrThrow(),
  )
  return numInsertedOrUpdatedRows > 0n
}

/** Never goes back: a clock that was set back must not hide a later sign-in. */
export async function recordSignIn(db: Kysely<Database>, userId: number, at: number): Promise<void> {
  await db
    .insertInto('sign_in')
    .values({ user_id: userId, at })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ at }).where('sign_in.at', '<', at))
    .execute()
}

export const lastSignIns = (db: Kysely<Database>): Promise<SignInRow[]> =>
  db.selectFrom('sign_in').selectAll().execute()

export interface SignedInAccount extends Account {
  readonly lastUsedAt: number
  readonly expiresAt: number
}

/** Caches the parsed account per user until its row changes: it is needed with every request. */
function cachedByRow<Read>(read: (row: UserRow) => Read): (row: UserRow) => Read {
  const known = new Map<number, { row: UserRow; read: Read }>()
  return (row) => {
    const last = known.get(row.id)
    if (last !== undefined && (last.row === row || userColumns.every((column) => last.row[column] === row[column])))
      return last.read
    const now = { row, read: read(row) }
    known.set(row.id, now)
    return now.read
  }
}

/** The cached account is shared between requests. */
function frozen(account: Account): Account {
  for (const part of Object.values(account.user)) Object.freeze(part)
  Object.freeze(account.user)
  return account
}

interface FoundAccount extends SignedInAccount {
  readonly versions: Versions
}

/** The account of a session and the versions of what is kept in memory: one query for every request. */
export function accountFinder(db: Kysely<Database>) {
  const find = prepared(
    db,
    db
      .selectFrom('session')
      .innerJoin('user', 'user.id', 'session.user_id')
      .selectAll('user')
      .select(['session.last_used_at', 'session.expires_at', ...versionColumns(db)])
      .where('session.id', '=', 'the id'),
  )
  const read = cachedByRow((row) => frozen(toAccount(row)))
  return async (id: string): Promise<FoundAccount | undefined> => {
    const row = await find(id)
    if (row === undefined) return undefined
    return { ...read(row), lastUsedAt: row.last_used_at, expiresAt: row.expires_at, versions: versionsIn(row) }
  }
}

/** Has this user a session, expired ones included, that was begun from that network? */
export async function hasSessionFrom(db: Kysely<Database>, username: string, network: string): Promise<boolean> {
  const rows = await db
    .selectFrom('session')
    .innerJoin('user', 'user.id', 'session.user_id')
    .select('session.address')
    .distinct()
    .where('user.username', '=', username)
    .execute()
  return rows.some(({ address }) => networkOf(address) === network)
}

/** Records when a session was last used, without waiting, and ignores failures. */
export function lastUseRecorder(db: Kysely<Database>): (id: string, now: number) => void {
  const touch = preparedChange(db, db.updateTable('session').set({ last_used_at: 0 }).where('id', '=', 'the id'))
  return (id, now) => bestEffort(touch([now, id]))
}

export async function extendSession(db: Kysely<Database>, id: string, expiresAt: number): Promise<void> {
  await db.updateTable('session').set({ expires_at: expiresAt }).where('id', '=', id).execute()
}

export async function deleteSession(db: Kysely<Database>, id: string): Promise<void> {
  await db.deleteFrom('session').where('id', '=', id).execute()
  await durable(db)
}

export async function deleteExpiredSessions(db: Kysely<Database>, now: number): Promise<void> {
  await db.deleteFrom('session').where('expires_at', '<=', now).execute()
}

export function sessionsOf(db: Kysely<Database>, userId: number, now: number): Promise<SessionRow[]> {
  return db
    .selectFrom('session')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('last_used_at', 'desc')
    .execute()
}

/** Ends all of them or none. Within the transaction of a larger change they end together with it. */
export const deleteSessionsOf = (
  db: Kysely<Database>,
  userId: number,
  { except }: { except: string | undefined },
): Promise<void> =>
  durableTransaction(db, 'read committed', async (trx) => {
    // Tokens of File Browser that have not been used yet end as well.
    await trx.deleteFrom('inherited_user').where('user_id', '=', userId).execute()
    await trx
      .deleteFrom('session')
      .where('user_id', '=', userId)
      .where('id', '!=', except ?? '')
      .execute()
  })

/** Until when tokens of this user may have been issued by File Browser; undefined if none is accepted any more. */
export async function inheritedUntil(db: Kysely<Database>, userId: number): Promise<number | undefined> {
  const row = await db.selectFrom('inherited_user').selectAll().where('user_id', '=', userId).executeTakeFirst()
  return row?.taken_at
}

export async function wasInherited(db: Kysely<Database>, id: string): Promise<boolean> {
  const row = await db.selectFrom('inherited_token').selectAll().where('session_id', '=', id).executeTakeFirst()
  return row !== undefined
}

/** False if this token has become a session before, even if that has ended. */
export async function insertInheritedToken(
  trx: Kysely<Database>,
  { id, expires_at }: Pick<SessionRow, 'id' | 'expires_at'>,
  now: number,
): Promise<boolean> {
  await trx.deleteFrom('inherited_token').where('expires_at', '<=', now).execute()
  const inserted = await trx
    .insertInto('inherited_token')
    .values({ session_id: id, expires_at })
    .onConflict((conflict) => conflict.column('session_id').doNothing())
    .returning('session_id')
    .execute()
  return inserted.length > 0
}
