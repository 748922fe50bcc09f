import type { ShareLink } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { durable } from '../database/durable.ts'
import type { Database, ShareRow } from '../database/schema.ts'
import type { VirtualPath } from '../files/path.ts'
import { type Outcome, unwrittenOf } from './unwritten.ts'

/** A share with what must never leave the server. */
export interface Share {
  readonly link: ShareLink
  /** The owner's scope when the link was made: together with the path it says where the shared thing lies. */
  readonly scope: VirtualPath
  /** Empty where the link alone is enough. */
  readonly passwordHash: string
  /** Its file is being moved or removed at this moment, or was when the server was killed. */
  readonly isInDoubt: boolean
}

export async function insertShare(db: Kysely<Database>, { link, scope, passwordHash }: Share): Promise<void> {
  const { hash, userID, path, expire } = link
  await db
    .insertInto('share')
    .values({ hash, user_id: userID, scope, path, expires_at: expire, password_hash: passwordHash, in_doubt: 0 })
    .execute()
  await durable(db)
}

export async function shareWithHash(db: Kysely<Database>, hash: string): Promise<Share | undefined> {
  const row = await db.selectFrom('share').selectAll().where('hash', '=', hash).executeTakeFirst()
  return row && current(db, toShare(row))
}

/** By owner, then by the time they run out; permanent links come first. */
export async function allShares(db: Kysely<Database>): Promise<Share[]> {
  const rows = await db
    .selectFrom('share')
    .selectAll()
    .orderBy('user_id')
    .orderBy('expires_at')
    .orderBy('hash')
    .execute()
  return rows.flatMap((row) => current(db, toShare(row)) ?? [])
}

/** The share as it is, also where that could not be written yet; undefined if it is gone. */
function current(db: Kysely<Database>, share: Share): Share | undefined {
  const unwritten = unwrittenOf(db).of(share.link.hash)
  if (unwritten === undefined) return share
  const { path } = unwritten
  return path === undefined ? undefined : { ...share, isInDoubt: false, link: { ...share.link, path } }
}

export async function deleteExpiredShares(db: Kysely<Database>, now: number): Promise<void> {
  await db.deleteFrom('share').where('expires_at', '>', 0).where('expires_at', '<=', now).execute()
}

export async function deleteShare(db: Kysely<Database>, hash: string): Promise<void> {
  await db.deleteFrom('share').where('hash', '=', hash).execute()
  await durable(db)
}

/** Those that a node put in doubt which cannot say any more what became of them. */
export async function deleteSharesInDoubt(
  db: Kysely<Database>,
  isAlive: (node: string | null) => boolean,
): Promise<void> {
  const rows = await db.selectFrom('share').select(['hash', 'doubted_by']).where('in_doubt', '=', 1).execute()
  for (const { hash, doubted_by = null } of rows)
    if (!isAlive(doubted_by)) await db.deleteFrom('share').where('hash', '=', hash).where('in_doubt', '=', 1).execute()
}

export async function putInDoubt(db: Kysely<Database>, hashes: readonly string[], node: string): Promise<void> {
  await db.updateTable('share').set({ in_doubt: 1, doubted_by: node }).where('hash', 'in', hashes).execute()
  // The deed survives a power cut, so this must have been there before.
  await durable(db)
}

/** What became of shares in doubt: each has its path, or none and is gone. All or nothing. */
export async function settleShares(db: Kysely<Database>, outcomes: readonly Outcome[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    for (const { hash, path } of outcomes) {
      if (path === undefined) await deleteShare(trx, hash)
      else
        await trx.updateTable('share').set({ path, in_doubt: 0, doubted_by: null }).where('hash', '=', hash).execute()
    }
  })
  await durable(db)
}

export async function inheritedTokenHash(db: Kysely<Database>, hash: string): Promise<string | undefined> {
  const row = await db.selectFrom('inherited_share').selectAll().where('hash', '=', hash).executeTakeFirst()
  return row?.token_hash
}

const toShare = (row: ShareRow): Share => ({
  link: {
    hash: row.hash,
    // Older installations kept the slash that somebody typed.
    path: row.path.replace(/\/+$/, '') || '/',
    userID: row.user_id,
    expire: row.expires_at,
    hasPassword: row.password_hash !== '',
  },
  scope: row.scope as VirtualPath,
  passwordHash: row.password_hash,
  isInDoubt: row.in_doubt === 1,
})
