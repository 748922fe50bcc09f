import type { ShareLink } from '@filestead/contract'
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { inParts } from '../database/parts.ts'
import { durable } from '../database/port.ts'
import type { Database, ShareRow } from '../database/schema.ts'
import { type Location, textsBelow } from '../mounts/location.ts'
import { isAtOrBelow } from '../mounts/location-rows.ts'

/** A share with what must never leave the server. */
export interface Share {
  /** How its path is called depends on what its owner sees. */
  readonly link: Omit<ShareLink, 'path'>
  readonly location: Location
  /** Empty where the link alone is enough. */
  readonly passwordHash: string
  /** Its file is being moved or removed, or was when the server was killed: the share shows nothing meanwhile. */
  readonly isShut: boolean
  /** Its path may contain a symlink: where the share lies has to be resolved. */
  readonly isThroughSymlink: boolean
}

export async function insertShare(
  db: Kysely<Database>,
  { link, location, passwordHash, isThroughSymlink }: Omit<Share, 'isShut'>,
): Promise<void> {
  const { hash, userID, expire, label, created } = link
  await db
    .insertInto('share')
    .values({
      hash,
      user_id: userID,
      location,
      expires_at: expire,
      password_hash: passwordHash,
      through_link: Number(isThroughSymlink),
      label: label ?? '',
      created_at: created ?? 0,
    })
    .execute()
  await durable(db)
}

/** Without expired ones. */
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

/** Of one owner, or of all; by owner, then by expiry, permanent ones first. Without expired ones. */
export async function listedShares(db: Kysely<Database>, now: number, userId?: number): Promise<Share[]> {
  let query = db
    .selectFrom('share')
    .selectAll()
    .where((is) => is.or([is('expires_at', '=', 0), is('expires_at', '>', now)]))
  if (userId !== undefined) query = query.where('user_id', '=', userId)
  return (await query.orderBy('user_id').orderBy('expires_at').orderBy('hash').execute()).map(toShare)
}

/** The names of the entries of a folder that live links of this owner lead to. */
export async function sharedNames(
  db: Kysely<Database>,
  { userId, folder, now }: { userId: number; folder: Location; now: number },
): Promise<string[]> {
  const [from, before] = textsBelow(folder)
  const rows = await db
    .selectFrom('share')
    .select('location')
    .where('location', '>=', from)
    .where('location', '<', before)
    .where('user_id', '=', userId)
    .where((is) => is.or([is('expires_at', '=', 0), is('expires_at', '>', now)]))
    .execute()
  const names = rows.map(({ location }) => location.slice(from.length))
  return [...new Set(names.filter((name) => name !== '' && !name.includes('/')))]
}

export async function allShares(db: Kysely<Database>): Promise<Share[]> {
  return (await db.selectFrom('share').selectAll().execute()).map(toShare)
}

/** Shares without a symlink at or below a folder. */
export async function sharesBelow(db: Kysely<Database>, folder: Location): Promise<Share[]> {
  const rows = await db
    .selectFrom('share')
    .selectAll()
    .where('through_link', '=', 0)
    .where(isAtOrBelow('share.location', folder))
    .execute()
  return rows.map(toShare)
}

export async function sharesThroughSymlinks(db: Kysely<Database>): Promise<Share[]> {
  const rows = await db.selectFrom('share').selectAll().where(sql`through_link`, '=', sql`1`).execute()
  return rows.map(toShare)
}

export async function setThroughSymlink(
  db: Kysely<Database>,
  hashes: readonly string[],
  isThroughSymlink: boolean,
): Promise<void> {
  for (const some of inParts(hashes))
    await db
      .updateTable('share')
      .set({ through_link: Number(isThroughSymlink) })
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

/** Those at or below a folder, which is served no longer. */
export async function deleteSharesWithin(trx: Transaction<Database>, folder: Location): Promise<void> {
  await trx.deleteFrom('share').where(isAtOrBelow('share.location', folder)).execute()
}

export async function deleteShare(db: Kysely<Database>, hash: string): Promise<void> {
  await db.deleteFrom('share').where('hash', '=', hash).execute()
  await durable(db)
}

/** Where these shares lead now, and which change keeps them shut. */
export async function statesOfShares(
  trx: Transaction<Database>,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, { readonly location: Location; readonly changeId: string | null }>> {
  const rows: Pick<Selectable<ShareRow>, 'hash' | 'location' | 'change_id'>[] = []
  for (const some of inParts(hashes))
    rows.push(
      ...(await trx.selectFrom('share').select(['hash', 'location', 'change_id']).where('hash', 'in', some).execute()),
    )
  return new Map(
    rows.map(({ hash, location, change_id }) => [
      hash,
      { location: location as Location, changeId: change_id ?? null },
    ]),
  )
}

/** Shuts shares until the change is over. One that another change has shut, or taken elsewhere, is left to that. */
export async function shutShares(
  trx: Transaction<Database>,
  shares: readonly Pick<Share, 'link' | 'location'>[],
  changeId: string,
): Promise<void> {
  const rows = shares.map(({ link, location }) => sql`(${link.hash}, ${location})`)
  for (const some of inParts(rows))
    await sql`with found (hash, location) as (values ${sql.join(some)})
      update share set change_id = ${changeId} from found
      where share.hash = found.hash and share.location = found.location and share.change_id is null`.execute(trx)
}

/** Reopens, where they were, the shares that this change has shut; others are not touched. */
export async function reopenShares(
  trx: Transaction<Database>,
  hashes: readonly string[],
  changeId: string,
): Promise<void> {
  for (const some of inParts(hashes))
    await trx
      .updateTable('share')
      .set({ change_id: null })
      .where('hash', 'in', some)
      .where('change_id', '=', changeId)
      .execute()
}

/** Another change keeps the share shut from now on. */
export async function handOverShare(trx: Transaction<Database>, hash: string, changeId: string): Promise<void> {
  await trx.updateTable('share').set({ change_id: changeId }).where('hash', '=', hash).execute()
}

/** Reopens shares at their new locations. */
export async function relocateShares(
  trx: Transaction<Database>,
  moved: readonly { readonly hash: string; readonly location: Location }[],
): Promise<void> {
  const rows = moved.map(({ hash, location }) => sql`(${hash}, ${location})`)
  for (const some of inParts(rows))
    await sql`with moved (hash, location) as (values ${sql.join(some)})
      update share set location = moved.location, change_id = null from moved
      where share.hash = moved.hash`.execute(trx)
}

/** The shares that are shut because of a change. */
export async function sharesOfChange(trx: Transaction<Database>, changeId: string): Promise<ReadonlySet<string>> {
  const rows = await trx.selectFrom('share').select('hash').where('change_id', '=', changeId).execute()
  return new Set(rows.map(({ hash }) => hash))
}

/** Shares whose change is over or was never stored; their file may be anywhere. */
export async function sharesWithoutChange(db: Kysely<Database>): Promise<string[]> {
  const rows = await db
    .selectFrom('share')
    .select('hash')
    .where('change_id', 'is not', null)
    .where('change_id', 'not in', db.selectFrom('change').select('id'))
    .execute()
  return rows.map(({ hash }) => hash)
}

export async function inheritedTokenHash(db: Kysely<Database>, hash: string): Promise<string | undefined> {
  const row = await db.selectFrom('inherited_share').selectAll().where('hash', '=', hash).executeTakeFirst()
  return row?.token_hash
}

const toShare = (row: Selectable<ShareRow>): Share => ({
  link: {
    hash: row.hash,
    userID: row.user_id,
    expire: row.expires_at,
    hasPassword: row.password_hash !== '',
    ...(row.label !== '' && { label: row.label }),
    ...(row.created_at > 0 && { created: row.created_at }),
  },
  location: row.location as Location,
  passwordHash: row.password_hash,
  isShut: (row.change_id ?? null) !== null,
  isThroughSymlink: row.through_link === 1,
})
