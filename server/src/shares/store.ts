import type { ShareLink } from '@filestead/contract'
import { type Kysely, type Selectable, sql } from 'kysely'
import { durable, durableTransaction } from '../database/port.ts'
import type { Database, ShareRow } from '../database/schema.ts'
import type { VirtualPath } from '../storage/path.ts'

/** A share with what must never leave the server. */
export interface Share {
  readonly link: ShareLink
  /** The owner's scope when the link was made: together with the path it says where the shared thing lies. */
  readonly scope: VirtualPath
  /** Empty where the link alone is enough. */
  readonly passwordHash: string
  /** Its file is being moved or removed at this moment, or was when the server was killed. */
  readonly isInDoubt: boolean
  /** A link may stand in the way to it: where it lies has to be looked up. */
  readonly isThroughLink: boolean
}

export async function insertShare(
  db: Kysely<Database>,
  { link, scope, passwordHash, isThroughLink }: Share,
): Promise<void> {
  const { hash, userID, path, expire } = link
  await db
    .insertInto('share')
    .values({
      hash,
      user_id: userID,
      scope,
      path,
      expires_at: expire,
      password_hash: passwordHash,
      in_doubt: 0,
      through_link: Number(isThroughLink),
    })
    .execute()
  await durable(db)
}

/** Those that still have time, which alone count. */
export async function countShares(db: Kysely<Database>, userId: number, now: number): Promise<number> {
  const { count } = await db
    .selectFrom('share')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where((is) => is.or([is('expires_at', '=', 0), is('expires_at', '>', now)]))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function shareWithHash(db: Kysely<Database>, hash: string): Promise<Share | undefined> {
  const row = await db.selectFrom('share').selectAll().where('hash', '=', hash).executeTakeFirst()
  return row && toShare(row)
}

/** Of one owner, or of all; by owner, then by the time they run out; permanent links come first. */
export async function listedShares(db: Kysely<Database>, now: number, userId?: number): Promise<Share[]> {
  let query = db
    .selectFrom('share')
    .selectAll()
    .where((is) => is.or([is('expires_at', '=', 0), is('expires_at', '>', now)]))
  if (userId !== undefined) query = query.where('user_id', '=', userId)
  return (await query.orderBy('user_id').orderBy('expires_at').orderBy('hash').execute()).map(toShare)
}

export async function allShares(db: Kysely<Database>): Promise<Share[]> {
  return (await db.selectFrom('share').selectAll().execute()).map(toShare)
}

/** Those that lie at or below a place, as seen from the root, and have no link on the way. */
export async function sharesBelow(db: Kysely<Database>, place: VirtualPath): Promise<Share[]> {
  if (place === '/') return (await allShares(db)).filter(({ isThroughLink }) => !isThroughLink)
  const lies = sql<string>`(scope || path)`
  const found: Share[] = []
  // In the scope of the root, which is a slash of its own, there is one slash more.
  for (const start of [place, `/${place}`]) {
    const rows = await db
      .selectFrom('share')
      .selectAll()
      .where('through_link', '=', 0)
      // '0' comes after '/'.
      .where((is) => is.or([is(lies, '=', start), is.and([is(lies, '>=', `${start}/`), is(lies, '<', `${start}0`)])]))
      .execute()
    found.push(...rows.map(toShare))
  }
  return found
}

export async function sharesThroughLinks(db: Kysely<Database>): Promise<Share[]> {
  const rows = await db.selectFrom('share').selectAll().where(sql`through_link`, '=', sql`1`).execute()
  return rows.map(toShare)
}

export async function noteLinks(
  db: Kysely<Database>,
  hashes: readonly string[],
  isThroughLink: boolean,
): Promise<void> {
  for (const some of inParts(hashes))
    await db
      .updateTable('share')
      .set({ through_link: Number(isThroughLink) })
      .where('hash', 'in', some)
      .execute()
}

export async function sharesExpiredBefore(db: Kysely<Database>, time: number): Promise<string[]> {
  const rows = await db
    .selectFrom('share')
    .select('hash')
    .where('expires_at', '>', 0)
    .where('expires_at', '<=', time)
    .execute()
  return rows.map(({ hash }) => hash)
}

export async function deleteShares(db: Kysely<Database>, hashes: readonly string[]): Promise<void> {
  for (const some of inParts(hashes)) await db.deleteFrom('share').where('hash', 'in', some).execute()
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

/** Survives a power cut, or what takes the place of a file could be shown after it. */
export async function putInDoubt(db: Kysely<Database>, hashes: readonly string[], node: string): Promise<void> {
  await durableTransaction(db, 'read committed', async (trx) => {
    for (const some of inParts(hashes))
      await trx.updateTable('share').set({ in_doubt: 1, doubted_by: node }).where('hash', 'in', some).execute()
  })
}

/** What became of a share in doubt: it has its path, or none and is gone. */
export interface Outcome {
  readonly hash: string
  readonly path: string | undefined
}

/** All or nothing. */
export async function settleShares(db: Kysely<Database>, outcomes: readonly Outcome[]): Promise<void> {
  const gone = outcomes.flatMap(({ hash, path }) => (path === undefined ? [hash] : []))
  const kept = outcomes.flatMap(({ hash, path }) => (path === undefined ? [] : [sql`(${hash}, ${path})`]))
  await durableTransaction(db, 'read committed', async (trx) => {
    await deleteShares(trx, gone)
    for (const some of inParts(kept))
      await sql`with fate (hash, path) as (values ${sql.join(some)})
        update share set path = fate.path, in_doubt = 0, doubted_by = null
        from fate where share.hash = fate.hash`.execute(trx)
  })
}

/** As many as one statement takes at a time. */
function* inParts<T>(items: readonly T[]): Generator<T[]> {
  for (let at = 0; at < items.length; at += 500) yield items.slice(at, at + 500)
}

export async function inheritedTokenHash(db: Kysely<Database>, hash: string): Promise<string | undefined> {
  const row = await db.selectFrom('inherited_share').selectAll().where('hash', '=', hash).executeTakeFirst()
  return row?.token_hash
}

const toShare = (row: Selectable<ShareRow>): Share => ({
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
  isThroughLink: row.through_link === 1,
})
