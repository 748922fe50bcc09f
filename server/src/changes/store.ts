import type { Kysely, Transaction } from 'kysely'
import type { Database } from '../database/schema.ts'
import type { Location } from '../mounts/location.ts'
import { isBelow } from '../mounts/location-rows.ts'
import type { Change, ChangeKind, Door } from './change.ts'

/** By the names of the followers that a change concerns. */
type Notes = Readonly<Record<string, unknown>>

/** A change that was begun and whose outcome is not stored yet. */
interface Intent {
  readonly id: string
  readonly node: string
  readonly change: Change
  readonly notes: Notes
}

/** As it is read: the notes of one that cannot be parsed keep no other from being recovered. */
export interface UnfinishedIntent extends Omit<Intent, 'notes'> {
  readonly notes: string
}

export const notesOf = (text: string): Notes => JSON.parse(text)

/** What a follower has noted of a change of its own or another server; undefined where it has nothing that can be read. */
export function notedIn({ notes }: Pick<UnfinishedIntent, 'notes'>, follower: string): unknown {
  try {
    return notesOf(notes)[follower]
  } catch {
    return undefined
  }
}

/**
 * An id greater than those of all changes that have begun before and are not over: they tell which one was first, also where
 * the clocks of servers differ.
 */
export async function idAfterOthers(trx: Transaction<Database>): Promise<string> {
  const now = Date.now()
  // Of those of an earlier moment none is asked for: PostgreSQL keeps ended ones as long as a backup reads.
  const { last } = await trx
    .selectFrom('change')
    .select((is) => is.fn.max<string | null>('id').as('last'))
    .where('id', '>=', startOf(now))
    .executeTakeFirstOrThrow()
  const after = last === null ? now : Number.parseInt(last.replaceAll('-', '').slice(0, digitsOfTime), 16) + 1
  return Bun.randomUUIDv7('hex', after)
}

/** The first 48 bits of an id are milliseconds. */
const digitsOfTime = 12

/** What the ids of a moment begin with. */
function startOf(milliseconds: number): string {
  const digits = milliseconds.toString(16).padStart(digitsOfTime, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}`
}

export async function insertIntent(
  trx: Transaction<Database>,
  { id, node, change, notes }: Intent,
  beganAt: number,
): Promise<void> {
  const row = {
    id,
    node,
    kind: change.kind,
    user_id: change.actor.id,
    username: change.actor.name,
    door: change.door,
    from_location: change.from ?? null,
    to_location: change.to ?? null,
    size: change.size ?? null,
    notes: JSON.stringify(notes),
    began_at: beganAt,
  }
  await trx.insertInto('change').values(row).execute()
}

/** Those of these changes that other nodes have begun, by their ids. */
export async function intentsOfOthers(
  trx: Transaction<Database>,
  ids: ReadonlySet<string>,
  node: string,
): Promise<ReadonlyMap<string, Pick<UnfinishedIntent, 'node' | 'notes'>>> {
  if (ids.size === 0) return new Map()
  const rows = await trx
    .selectFrom('change')
    .select(['id', 'node', 'notes'])
    .where('id', 'in', [...ids])
    .where('node', '!=', node)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** False where it is gone already. */
export async function deleteIntent(trx: Transaction<Database>, id: string): Promise<boolean> {
  const { numDeletedRows } = await trx.deleteFrom('change').where('id', '=', id).executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/**
 * Those that take something into a mount which is served no longer: what they would store of that names places in it. What came
 * out of it is found out as ever, by a look at where it was to go.
 */
export async function deleteIntentsInto(trx: Transaction<Database>, root: Location): Promise<void> {
  await trx.deleteFrom('change').where(isBelow('change.to_location', root)).execute()
}

/** Keeps others from deleting it until the end of the transaction. False where it is gone already. */
export async function holdIntent(trx: Transaction<Database>, id: string): Promise<boolean> {
  const { numUpdatedRows } = await trx.updateTable('change').set({ id }).where('id', '=', id).executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function unfinishedIntents(db: Kysely<Database>): Promise<UnfinishedIntent[]> {
  // The ids grow with time: earlier changes come first.
  const rows = await db.selectFrom('change').selectAll().orderBy('id').execute()
  return rows.map((row) => ({
    id: row.id,
    node: row.node,
    change: {
      kind: row.kind as ChangeKind,
      actor: { id: row.user_id, name: row.username },
      door: row.door as Door,
      ...(row.from_location !== null && { from: row.from_location as Location }),
      ...(row.to_location !== null && { to: row.to_location as Location }),
      size: row.size ?? undefined,
    },
    notes: row.notes,
  }))
}
