import { noRights, type RightSet, type Subject } from '@filestead/contract'
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { FormerGrant } from '../access/departures.ts'
import type { ActorGrant } from '../access/granted.ts'
import { accessVersion, nextNumber } from '../database/counters.ts'
import type { Database, GrantRow } from '../database/schema.ts'
import { firstMount, isInStore, type Location, wayTo } from '../mounts/location.ts'
import { isAtOrBelow, isBelow } from '../mounts/location-rows.ts'
import { storeNames } from '../storage/store-names.ts'

/** A grant as it is stored. */
export interface StoredGrant {
  readonly id: number
  readonly subject: Subject
  readonly location: Location
  readonly rights: RightSet
}

/** The grants for any of these subjects. */
export async function grantsFor(db: Kysely<Database>, subjects: readonly Subject[]): Promise<ActorGrant[]> {
  const rows = await db.selectFrom('grant').select(['location', 'rights']).where('subject', 'in', subjects).execute()
  return rows.map(({ location, rights }) => ({ location: location as Location, rights }))
}

/** The same as they are stored. */
export async function grantsOfAny(db: Kysely<Database>, subjects: readonly Subject[]): Promise<StoredGrant[]> {
  const rows = await db.selectFrom('grant').selectAll().where('subject', 'in', subjects).orderBy('id').execute()
  return rows.map(toGrant)
}

export interface GrantFilter {
  readonly subject?: Subject | undefined
  /** The folder that grants are for, or with `below` one that they lie in, or with `above` one on the way to it. */
  readonly at?: Location | undefined
  readonly below?: boolean | undefined
  readonly above?: boolean | undefined
  readonly limit?: number | undefined
  /** Without those that went into a store with their folder. */
  readonly isServed?: boolean | undefined
}

/** In the order of their folders. */
export async function grantsLike(
  db: Kysely<Database>,
  { subject, at, below = false, above = false, limit, isServed = false }: GrantFilter = {},
): Promise<StoredGrant[]> {
  let query = db.selectFrom('grant').selectAll()
  if (subject !== undefined) query = query.where('subject', '=', subject)
  if (at !== undefined)
    query = query.where((is) =>
      is.or([
        ...(above ? [is('location', 'in', wayTo(at))] : [is('location', '=', at)]),
        ...(below ? [isWithin(at)] : []),
      ]),
    )
  if (isServed)
    for (const name of Object.values(storeNames)) query = query.where('location', 'not like', `%/${name}/files/%`)
  if (limit !== undefined) query = query.limit(limit)
  const rows = await query.orderBy('location').orderBy('id').execute()
  return rows.map(toGrant)
}

export async function grantWithId(db: Kysely<Database>, id: number): Promise<StoredGrant | undefined> {
  const row = await db.selectFrom('grant').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toGrant(row)
}

/** Makes a grant, or replaces the rights of the one that the subject has for the folder. */
export async function putGrant(trx: Transaction<Database>, grant: Omit<StoredGrant, 'id'>): Promise<StoredGrant> {
  const { subject, location, rights } = grant
  const [known] = await grantsLike(trx, { subject, at: location })
  const id = known?.id ?? (await nextNumber(trx, 'grant'))
  if (known === undefined) await trx.insertInto('grant').values({ id, subject, location, rights }).execute()
  else await trx.updateTable('grant').set({ rights }).where('id', '=', id).execute()
  return { id, ...grant }
}

export async function deleteGrant(trx: Transaction<Database>, id: number): Promise<void> {
  await trx.deleteFrom('grant').where('id', '=', id).execute()
}

export async function deleteGrantsOf(trx: Transaction<Database>, subject: Subject): Promise<void> {
  await trx.deleteFrom('former_grant').where('subject', '=', subject).execute()
  await trx.deleteFrom('grant').where('subject', '=', subject).execute()
}

/** Of places from which grants went away with their folders since a time. */
export async function formerGrantsFor(
  db: Kysely<Database>,
  subjects: readonly Subject[],
  since: number,
): Promise<FormerGrant[]> {
  const rows = await db
    .selectFrom('former_grant')
    .select(['location', 'rights', 'ended_at as endedAt'])
    .where('subject', 'in', subjects)
    .where('ended_at', '>', since)
    .execute()
  return rows.map((row) => ({ ...row, location: row.location as Location }))
}

/** Did grants go away since a time from a location or from a folder around it, or with `below` from one in it, and are not back? */
export async function haveGrantsLeft(
  db: Kysely<Database>,
  { at, below = false, since }: { at: Location; below?: boolean; since: number },
): Promise<boolean> {
  const row = await db
    .selectFrom('former_grant')
    .select('location')
    .where('ended_at', '>', since)
    .where((is) => is.or([is('location', 'in', wayTo(at)), ...(below ? [isBelow('former_grant.location', at)] : [])]))
    .where('location', 'not in', (is) => is.selectFrom('grant').select('location'))
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Remembers what stood at a folder and in it, before it goes: of its grants those with lower numbers. What has left the same
 * place before is not touched: it belongs together as well.
 */
export async function rememberGrants(
  trx: Transaction<Database>,
  folder: Location,
  before = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  // No path leads into a store, now or then.
  if (isInStore(folder)) return
  const now = Date.now()
  await trx
    .insertInto('former_grant')
    .columns(['subject', 'location', 'rights', 'ended_at'])
    .expression((is) =>
      is
        .selectFrom('grant')
        .select(['subject', 'location', 'rights', is.val(now).as('ended_at')])
        .where(isWithin(folder))
        .where('id', '<', before),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Those in a mount that is served no longer, former ones included. As long as it is served these stay: a snapshot may be
 * found that is older than any known now, and must show no more than the grants of its time allowed.
 */
export async function deleteGrantsInMount(trx: Transaction<Database>, root: Location): Promise<void> {
  await trx.deleteFrom('grant').where(isWithin(root)).execute()
  await trx.deleteFrom('former_grant').where(isAtOrBelow('former_grant.location', root)).execute()
}

/** Those for a folder and for all folders in it. */
export async function deleteGrantsWithin(trx: Transaction<Database>, folder: Location): Promise<void> {
  await rememberGrants(trx, folder)
  await trx.deleteFrom('grant').where(isWithin(folder)).execute()
}

export async function hasGrantsWithin(db: Kysely<Database>, folder: Location): Promise<boolean> {
  const row = await db.selectFrom('grant').select('id').where(isWithin(folder)).limit(1).executeTakeFirst()
  return row !== undefined
}

export const hasGrants = async (db: Kysely<Database>): Promise<boolean> =>
  (await db.selectFrom('grant').select('id').limit(1).executeTakeFirst()) !== undefined

/** Is the grant at hand for a folder, or for one in it? */
export const isWithin = (folder: Location): RawBuilder<boolean> => isAtOrBelow('grant.location', folder)

/** By mounts, how many subjects have a grant that allows something. Counted again when grants have changed. */
export function subjectCounter(db: Kysely<Database>): () => Promise<ReadonlyMap<number, number>> {
  const versionNow = accessVersion(db)
  let counted: { version: number; subjects: ReadonlyMap<number, number> } | undefined
  return async () => {
    const version = await versionNow()
    if (counted?.version !== version) counted = { version, subjects: await subjectsByMount(db) }
    return counted.subjects
  }
}

async function subjectsByMount(db: Kysely<Database>): Promise<Map<number, number>> {
  const mount = sql<number>`case when location like '/%' then ${firstMount}
    else cast(substr(location, 1, length(location) - length(ltrim(location, '0123456789'))) as integer) end`
  const rows = await db
    .selectFrom('grant')
    .select((is) => [mount.as('mount'), is.fn.count<number>('subject').distinct().as('subjects')])
    .where('rights', '!=', noRights)
    .where((is) => is.and(Object.values(storeNames).map((name) => is('location', 'not like', `%/${name}/files/%`))))
    .groupBy('mount')
    .execute()
  return new Map(rows.map((row) => [row.mount, row.subjects]))
}

const toGrant = ({ id, subject, location, rights }: GrantRow): StoredGrant => ({
  id,
  subject,
  location: location as Location,
  rights,
})
