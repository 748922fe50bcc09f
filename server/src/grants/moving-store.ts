import type { RightSet } from '@filestead/contract'
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { nextNumbers } from '../database/counters.ts'
import { transaction } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { type Location, mountOf } from '../mounts/location.ts'
import { locationAlong } from '../mounts/location-rows.ts'
import { isMount } from '../mounts/store.ts'
import { deleteGrantsWithin, isWithin, rememberGrants } from './store.ts'

/**
 * Grants that go along with a folder. While it is on its way they stand at both ends, so that what they withhold shows
 * nowhere meanwhile; those at the target are copies, whose numbers are kept for them before.
 */
export interface GrantMove {
  readonly from: Location
  readonly to: Location
  /** The first number that copies may have; grants with a lower one are those that move. */
  readonly first: number
  readonly count: number
  /** Grants that stood at the target before, for a subject and a folder that one arrives for. */
  readonly met: readonly MetGrant[]
}

interface MetGrant {
  readonly id: number
  readonly location: Location
  readonly rights: RightSet
  /** What is left of them while the other one is there, too. */
  readonly left: RightSet
}

/** Without numbers for copies, where none can be kept: the grants themselves go in the end, and nothing is at both ends. */
export async function planUnnumberedMove(
  db: Kysely<Database>,
  from: Location,
  to: Location,
): Promise<GrantMove | undefined> {
  if ((await countWithin(db, from)) === 0) return undefined
  return { from, to, first: Number.MAX_SAFE_INTEGER, count: 0, met: [] }
}

async function countWithin(db: Kysely<Database>, folder: Location): Promise<number> {
  const { count } = await db
    .selectFrom('grant')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where(isWithin(folder))
    .executeTakeFirstOrThrow()
  return count
}

/** Undefined where no grant is for the folder or one in it. */
async function planMove(db: Kysely<Database>, from: Location, to: Location): Promise<GrantMove | undefined> {
  const count = await countWithin(db, from)
  if (count === 0) return undefined
  // Numbers that are not used in the end are left out.
  const first = await transaction(db, 'serializable', (trx) => nextNumbers(trx, 'grant', count))
  const met = await db
    .selectFrom('grant')
    .innerJoin('grant as moved', 'moved.subject', 'grant.subject')
    .select(['grant.id', 'grant.location', 'grant.rights', sql<number>`"grant".rights & moved.rights`.as('left')])
    .where(isWithin(to))
    .where(sql<boolean>`moved.location = ${departed({ from, to })}`)
    .execute()
  return { from, to, first, count, met: met.map((grant) => ({ ...grant, location: grant.location as Location })) }
}

type Ends = Pick<GrantMove, 'from' | 'to'>

/** Without those that have no grants, or are spelled already as they are called then. */
export async function planMoves(
  db: Kysely<Database>,
  ends: readonly Ends[],
  plan: typeof planMove = planMove,
): Promise<GrantMove[]> {
  const moves: GrantMove[] = []
  for (const { from, to } of ends) {
    const move = from === to ? undefined : await plan(db, from, to)
    if (move !== undefined) moves.push(move)
  }
  return moves
}

/** Have no grants come since, as those of another folder that arrives there? They would be left behind. */
export async function isAsPlanned(trx: Transaction<Database>, { from, first, count }: GrantMove): Promise<boolean> {
  if (count === 0) return true
  const later = trx.selectFrom('grant').select('id').where(isWithin(from)).where('id', '>=', first).limit(1)
  return (await later.executeTakeFirst()) === undefined && count >= (await countWithin(trx, from))
}

/**
 * Copies the grants to the target, in one statement however many there are. Where the same subject has one there, only
 * what both allow is left: a move opens nothing.
 */
export async function copyAlong(trx: Transaction<Database>, { from, to, first, count }: GrantMove): Promise<void> {
  await sql`
    insert into "grant" (id, subject, location, rights)
    select ${first} - 1 + row_number() over (order by id), subject, ${arrived({ from, to })}, rights
    from "grant" where ${isWithin(from)} and id < ${first} order by id limit ${count}
    on conflict (subject, location) do update set rights = "grant".rights & excluded.rights
  `.execute(trx)
}

/**
 * Of the grants that move, those whose copies are not at the target any more. Where no copy is left anywhere none is known to
 * have been made, unless the caller says so: another server may have taken them back.
 */
export async function withoutCopies(
  db: Kysely<Database>,
  move: GrantMove,
  isCopied: boolean,
): Promise<readonly { id: number; location: Location }[]> {
  if (move.count === 0 || !(isCopied || (await hasCopies(db, move)))) return []
  const rows = await db
    .selectFrom('grant')
    .select(['id', 'location'])
    .where(isWithin(move.from))
    .where('id', '<', move.first)
    .where(sql<boolean>`not ${isAtTarget(move)}`)
    .execute()
  return rows.map(({ id, location }) => ({ id, location: location as Location }))
}

interface Completion {
  readonly stayed?: ReadonlyMap<number, boolean>
  /** Copies were made, whether any is left or not. */
  readonly isCopied?: boolean
  /** Places in the source of folders that have come into it too late, and did not go along. */
  readonly late?: readonly Location[]
}

/**
 * The folder has arrived: its grants themselves take the place of their copies, with what was changed and added meanwhile.
 * Those whose copies other changes have taken further with their folders, or ended with them, end, but for those that have
 * `stayed`.
 */
export async function completeMove(
  trx: Transaction<Database>,
  move: GrantMove,
  { stayed = new Map(), isCopied = false, late = [] }: Completion = {},
): Promise<void> {
  const { from, to } = move
  // It has gone to where nothing is served any more.
  if (!(await isMount(trx, mountOf(to)))) return void (await deleteGrantsWithin(trx, from))
  const isLeaving =
    late.length === 0 ? isWithin(from) : sql<boolean>`(${isWithin(from)} and location not in (${sql.join(late)}))`
  await rememberGrants(trx, from)
  const left = await withoutCopies(trx, move, isCopied)
  // Those whose copies have gone on since that was looked at are left where they come to, besides.
  const taken = left.filter(({ id, location }) => stayed.get(id) === false && !late.includes(location))
  for (const { id } of taken) await trx.deleteFrom('grant').where('id', '=', id).execute()
  const copies = trx.deleteFrom('grant').where(isCopy(move))
  const isEach = left.length > 0 && left.every(({ id }) => stayed.get(id) === true)
  const ended = isEach ? copies : copies.where(isWithin(to))
  // Out of a mount that was removed meanwhile, they are all that is left.
  if (await isMount(trx, mountOf(from))) await ended.execute()
  await sql`
    update "grant" set rights = rights & (
      select moved.rights from "grant" as moved
      where moved.subject = "grant".subject and moved.location = ${departed({ from, to })})
    where ${isWithin(to)} and ${isMet({ from, to })}
  `.execute(trx)
  await sql`
    update "grant" set location = ${arrived({ from, to })}
    where ${isLeaving} and not ${isAtTarget({ from, to })}
  `.execute(trx)
  await trx.deleteFrom('grant').where(isLeaving).execute()
}

/** The folder is at neither end: its grants are at their old place, unless it was moved on with the copies, or its mount removed. */
export const leaveMove = async (
  trx: Transaction<Database>,
  move: GrantMove,
  stayed: ReadonlyMap<number, boolean>,
): Promise<void> => {
  const hasGone = (await isTakenFurther(trx, move)) || !(await isMount(trx, mountOf(move.to)))
  await (hasGone ? completeMove(trx, move, { stayed }) : undoMove(trx, move))
}

/** Copies that another change has taken further are the grants of the folder now. */
async function isTakenFurther(db: Kysely<Database>, move: GrantMove): Promise<boolean> {
  const arrived = db.selectFrom('grant').select('id').where(isCopy(move)).where(isWithin(move.to)).limit(1)
  return (await arrived.executeTakeFirst()) === undefined && (await hasCopies(db, move))
}

const hasCopies = async (db: Kysely<Database>, move: GrantMove): Promise<boolean> =>
  (await db.selectFrom('grant').select('id').where(isCopy(move)).limit(1).executeTakeFirst()) !== undefined

/**
 * The folder has stayed: what was there before is there again, unless it was changed meanwhile. Where that is certain, copies
 * that have gone on with something else that was at the target go as well.
 */
export async function undoMove(
  trx: Transaction<Database>,
  move: GrantMove,
  { isUndone = false }: { isUndone?: boolean } = {},
): Promise<void> {
  const copies = trx.deleteFrom('grant').where(isCopy(move))
  await (isUndone ? copies : copies.where(isWithin(move.to))).execute()
  await restoreMet(trx, move.met)
}

async function restoreMet(trx: Transaction<Database>, met: readonly MetGrant[]): Promise<void> {
  for (const { id, rights, left } of met)
    await trx.updateTable('grant').set({ rights }).where('id', '=', id).where('rights', '=', left).execute()
}

interface Copy {
  readonly id: number
  readonly subject: string
  readonly location: Location
  /** The place that it was made from. */
  readonly departed: Location
}

export async function copiesOf(db: Kysely<Database>, move: GrantMove): Promise<Copy[]> {
  const rows = await db
    .selectFrom('grant')
    .select(['id', 'subject', 'location', departed(move).as('departed')])
    .where(isCopy(move))
    .where(isWithin(move.to))
    .execute()
  return rows.map((row) => ({ ...row, location: row.location as Location, departed: row.departed as Location }))
}

/** Only some folders have arrived: their copies stay and what they were made from ends; all others are as before. */
export async function splitMove(
  trx: Transaction<Database>,
  move: GrantMove,
  hasArrived: (location: Location) => boolean,
): Promise<void> {
  await rememberGrants(trx, move.from, move.first)
  for (const { id, subject, location, departed: place } of await copiesOf(trx, move))
    if (hasArrived(location))
      await trx
        .deleteFrom('grant')
        .where('subject', '=', subject)
        .where('location', '=', place)
        .where('id', '<', move.first)
        .execute()
    else await trx.deleteFrom('grant').where('id', '=', id).execute()
  await restoreMet(
    trx,
    move.met.filter(({ location }) => !hasArrived(location)),
  )
}

/** The place at the target of the row at hand, which lies in the source. */
const arrived = ({ from, to }: Ends): RawBuilder<string> => locationAlong('grant.location', from, to)

/** The place in the source that the row at hand, which lies at the target, corresponds to. */
const departed = ({ from, to }: Ends): RawBuilder<string> => arrived({ from: to, to: from })

/** Does a grant of the same subject arrive at the row at hand? */
const isMet = (ends: Ends): RawBuilder<boolean> => sql<boolean>`exists (
  select 1 from "grant" as moved
  where moved.subject = "grant".subject and moved.location = ${departed(ends)})`

/** Does the same subject have a grant where the row at hand arrives? */
const isAtTarget = (ends: Ends): RawBuilder<boolean> => sql<boolean>`exists (
  select 1 from "grant" as there
  where there.subject = "grant".subject and there.location = ${arrived(ends)})`

export const isNumberOfCopy = ({ first, count }: GrantMove, id: number): boolean => id >= first && id < first + count

const isCopy = ({ first, count }: GrantMove): RawBuilder<boolean> =>
  sql<boolean>`("grant".id >= ${first} and "grant".id < ${first + count})`
