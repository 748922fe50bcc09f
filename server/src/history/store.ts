import type { KeepCause, KeepStore } from '@filestead/contract'
import { type Insertable, type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from 'kysely'
import { inParts } from '../database/parts.ts'
import { preparedChange } from '../database/port.ts'
import type { Database, KeptRow } from '../database/schema.ts'
import { type Location, locationIn, pathIn, textsBelow } from '../mounts/location.ts'
import { isAtOrBelow, isBelow, locationAlong } from '../mounts/location-rows.ts'
import type { EntryKind } from '../storage/entry.ts'
import { fromStored, toStored } from '../storage/exact-names.ts'
import type { Kept } from '../storage/keeping.ts'
import { rootPath, type VirtualPath } from '../storage/path.ts'

/** A thing that lost its place and is kept. */
export interface KeptItem extends Omit<Kept, 'at'> {
  readonly mount: number
  /** Where it was. In a folder that was removed since: below the place of that one. */
  readonly location: Location
  /** In bytes; undefined until a folder is measured. */
  readonly size: number | undefined
  /** Without a number where the account is gone; undefined where another program has put it there. */
  readonly user: { readonly id: number | undefined; readonly name: string } | undefined
  readonly door: string
  readonly by: KeepCause
  readonly operation: string | undefined
  /** The grants that it had are not known: it is for administrators and for its user. */
  readonly isRestricted: boolean
}

const columns = [
  ...['id', 'mount', 'store', 'place', 'location', 'kind', 'size', 'modified_at', 'kept_at'],
  ...['user_id', 'username', 'door', 'cause', 'operation', 'restricted'],
] as const satisfies readonly (keyof KeptRow)[]

/** Adds rows one by one, as cheaply as rows can be added: every save that keeps a version waits for one. */
export function keptInserter(db: Kysely<Database>): (item: KeptItem) => Promise<void> {
  const insert = preparedChange(
    db,
    db
      .insertInto('kept')
      .values(toRow(sample))
      // A look at the disk may have come before, which does not know all.
      .onConflict((conflict) =>
        conflict.column('id').doUpdateSet((is) => ({ restricted: is.ref('excluded.restricted') })),
      ),
  )
  return (item) => {
    const row = toRow(item)
    return insert(columns.map((column) => row[column] ?? null))
  }
}

/** Those whose id or place is known already are left as they are. */
export async function insertKept(db: Kysely<Database>, items: readonly KeptItem[]): Promise<void> {
  for (const some of inParts(items))
    await db
      .insertInto('kept')
      .values(some.map(toRow))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
}

export async function keptWithId(db: Kysely<Database>, id: string): Promise<KeptItem | undefined> {
  const row = await db.selectFrom('kept').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toItem(row)
}

export async function keptWithIds(db: Kysely<Database>, ids: readonly string[]): Promise<KeptItem[]> {
  const found: KeptItem[] = []
  for (const asked of inParts(ids))
    found.push(...(await db.selectFrom('kept').selectAll().where('id', 'in', asked).execute()).map(toItem))
  return found
}

/** Ids of what these operations displaced. */
export async function keptBy(db: Kysely<Database>, operations: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>()
  for (const asked of inParts(operations)) {
    const rows = await db.selectFrom('kept').select('id').where('operation', 'in', asked).execute()
    for (const { id } of rows) found.add(id)
  }
  return found
}

export async function keptAtPlace(
  db: Kysely<Database>,
  mount: number,
  place: VirtualPath,
): Promise<KeptItem | undefined> {
  const row = await db
    .selectFrom('kept')
    .selectAll()
    .where('mount', '=', mount)
    .where('place', '=', toStored(place))
    .executeTakeFirst()
  return row && toItem(row)
}

/** Those that were at a location, the newest first. */
export async function keptAt(db: Kysely<Database>, location: Location, most: number): Promise<KeptItem[]> {
  const rows = await db
    .selectFrom('kept')
    .selectAll()
    .where('location', '=', toStored(location))
    .orderBy('kept_at', 'desc')
    .limit(most)
    .execute()
  return rows.map(toItem)
}

/** Those that were directly in a folder, the newest first. */
export async function keptDirectlyIn(db: Kysely<Database>, folder: Location, most: number): Promise<KeptItem[]> {
  const [start] = textsBelow(stored(folder))
  const rows = await db
    .selectFrom('kept')
    .selectAll()
    .where(isBelow('kept.location', stored(folder)))
    .where(sql<boolean>`substr(location, length(${start}) + 1) not like '%/%'`)
    .orderBy('kept_at', 'desc')
    .limit(most)
    .execute()
  return rows.map(toItem)
}

/** Those that were at a location or below it. */
export async function keptWithin(db: Kysely<Database>, folder: Location): Promise<KeptItem[]> {
  return (await db.selectFrom('kept').selectAll().where(isWithin(folder)).execute()).map(toItem)
}

export async function hasKeptWithin(db: Kysely<Database>, folder: Location): Promise<boolean> {
  return (await db.selectFrom('kept').select('id').where(isWithin(folder)).limit(1).executeTakeFirst()) !== undefined
}

/** Where a page ends. */
export interface Mark {
  readonly keptAt: number
  readonly id: string
}

/** Of a store, the newest first, beyond a mark. */
export async function keptPage(
  db: Kysely<Database>,
  store: KeepStore,
  before: Mark | undefined,
  most: number,
): Promise<KeptItem[]> {
  let query = db.selectFrom('kept').selectAll().where('store', '=', store)
  if (before !== undefined)
    query = query.where((is) =>
      is.or([is('kept_at', '<', before.keptAt), is.and([is('kept_at', '=', before.keptAt), is('id', '<', before.id)])]),
    )
  const rows = await query.orderBy('kept_at', 'desc').orderBy('id', 'desc').limit(most).execute()
  return rows.map(toItem)
}

/** A kept thing as far as it matters to how long it stays. */
export interface RetainedRow extends Mark {
  readonly size: number | undefined
  /** Where it was. */
  readonly location: string
}

/** Of a mount, the oldest first, beyond a mark: what this server keeps. What other programs have put there is theirs to end. */
export async function retainedIn(
  db: Kysely<Database>,
  mount: number,
  store: KeepStore,
  after: Mark | undefined,
  most: number,
): Promise<RetainedRow[]> {
  let query = db
    .selectFrom('kept')
    .select(['id', 'location', 'size', 'kept_at'])
    .where('store', '=', store)
    .where('mount', '=', mount)
    .where('cause', '<>', 'outside' satisfies KeepCause)
  if (after !== undefined)
    query = query.where((is) =>
      is.or([is('kept_at', '>', after.keptAt), is.and([is('kept_at', '=', after.keptAt), is('id', '>', after.id)])]),
    )
  const rows = await query.orderBy('kept_at').orderBy('id').limit(most).execute()
  return rows.map(({ id, location, size, kept_at }) => ({ id, location, size: size ?? undefined, keptAt: kept_at }))
}

/** Every place that is known in a mount, with the id of its row. */
export async function placesIn(db: Kysely<Database>, mount: number): Promise<Map<VirtualPath, string>> {
  const rows = await db.selectFrom('kept').select(['id', 'place']).where('mount', '=', mount).execute()
  return new Map(rows.map(({ id, place }) => [placeOf(place), id]))
}

/** Folders that have no size yet. */
export async function unmeasured(db: Kysely<Database>, most: number): Promise<KeptItem[]> {
  const rows = await db
    .selectFrom('kept')
    .selectAll()
    .where('size', 'is', null)
    .where('kind', '=', 'folder')
    .orderBy('kept_at', 'desc')
    .limit(most)
    .execute()
  return rows.map(toItem)
}

export async function saveSize(db: Kysely<Database>, id: string, size: number): Promise<void> {
  await db.updateTable('kept').set({ size }).where('id', '=', id).execute()
}

/** In bytes, by store: of what is measured. */
export async function sizesIn(db: Kysely<Database>, mount: number): Promise<Record<KeepStore, number>> {
  const rows = await db
    .selectFrom('kept')
    .select((is) => ['store', is.fn.sum<number | null>('size').as('size')])
    .where('mount', '=', mount)
    .groupBy('store')
    .execute()
  const sizeOf = (store: KeepStore) => Number(rows.find((row) => row.store === store)?.size ?? 0)
  return { trash: sizeOf('trash'), versions: sizeOf('versions') }
}

export async function deleteKept(db: Kysely<Database>, ids: readonly string[]): Promise<void> {
  for (const some of inParts(ids)) await db.deleteFrom('kept').where('id', 'in', some).execute()
}

/** Of a mount that is served no longer. */
export async function deleteKeptIn(trx: Transaction<Database>, mount: number): Promise<void> {
  await trx.deleteFrom('kept').where('mount', '=', mount).execute()
}

/** Of an account that is removed: what it has displaced stays, under its name. */
export async function leaveKeptOf(trx: Transaction<Database>, userId: number): Promise<void> {
  await trx.updateTable('kept').set({ user_id: null }).where('user_id', '=', userId).execute()
}

/**
 * What was at or below `from` was at or below `to` from now on. What was removed from the very name `from` stays: another
 * thing has the name that is moved now.
 */
export async function relocateKept(
  trx: Transaction<Database>,
  from: Location,
  to: Location,
  except: readonly Location[] = [],
): Promise<void> {
  await sql`
    update kept set location = ${locationAlong('kept.location', stored(from), stored(to))}
    where ${isWithin(from)} and (location <> ${toStored(from)} or store = 'versions')
      and not (${sql.join([sql<boolean>`1 = 0`, ...except.map(isWithin)], sql` or `)})
  `.execute(trx)
}

export async function relocateOne(trx: Transaction<Database>, id: string, location: Location): Promise<void> {
  await trx
    .updateTable('kept')
    .set({ location: toStored(location) })
    .where('id', '=', id)
    .execute()
}

/** The folder is gone: who could see what was in it is not known any more. With `isLeft` it is of no account then. */
export async function restrictKept(
  trx: Transaction<Database>,
  ids: readonly string[],
  { isLeft }: { isLeft: boolean },
): Promise<void> {
  for (const some of inParts(ids))
    await trx
      .updateTable('kept')
      .set({ restricted: 1, ...(isLeft && { user_id: null }) })
      .where('id', 'in', some)
      .execute()
}

const stored = (location: Location): Location => toStored(location) as Location

const isWithin = (folder: Location): RawBuilder<boolean> => isAtOrBelow('kept.location', stored(folder))

const toRow = (item: KeptItem): Insertable<KeptRow> => ({
  id: item.id,
  mount: item.mount,
  store: item.store,
  place: toStored(item.place),
  location: toStored(item.location),
  kind: item.kind,
  size: item.size ?? null,
  modified_at: Math.round(item.modified),
  kept_at: Math.round(item.keptAt),
  user_id: item.user?.id ?? null,
  username: item.user?.name ?? '',
  door: item.door,
  cause: item.by,
  operation: item.operation ?? null,
  restricted: item.isRestricted ? 1 : 0,
})

const toItem = (row: Selectable<KeptRow>): KeptItem => ({
  id: row.id,
  mount: row.mount,
  store: row.store as KeepStore,
  place: placeOf(row.place),
  location: fromStored(row.location) as Location,
  kind: row.kind as EntryKind,
  size: row.size ?? undefined,
  modified: row.modified_at,
  keptAt: row.kept_at,
  user: row.username === '' && row.user_id === null ? undefined : { id: row.user_id ?? undefined, name: row.username },
  door: row.door,
  by: row.cause as KeepCause,
  operation: row.operation ?? undefined,
  isRestricted: row.restricted !== 0,
})

/** Below a root: a path is what a location in the first mount is. */
const placeOf = (stored: string): VirtualPath => pathIn(fromStored(stored) as Location)

/** Shows a statement its columns, in their order. */
const sample: KeptItem = {
  id: '',
  mount: 0,
  store: 'trash',
  place: rootPath,
  location: locationIn(0, rootPath),
  kind: 'file',
  size: 0,
  modified: 0,
  keptAt: 0,
  user: undefined,
  door: '',
  by: 'remove',
  operation: undefined,
  isRestricted: false,
}
