import { type Kysely, sql } from 'kysely'
import type { Change, ChangeKind } from '../../changes/change.ts'
import { yieldToLoop } from '../../concurrency/time-slices.ts'
import { inParts } from '../../database/parts.ts'
import { type Parameters, preparedChange, preparedLaterChange, transaction } from '../../database/port.ts'
import type { Database, OperationRow } from '../../database/schema.ts'
import type { Location } from '../../mounts/location.ts'
import { itemsIn, parseDone } from './effects.ts'

/** An operation as rooms read it. */
export interface StoredOperation {
  readonly id: string
  readonly batch: string
  readonly kind: ChangeKind
  readonly from: Location | undefined
  readonly to: Location | undefined
  /** See effects.ts. Of a list: undefined where they are long. */
  readonly effects: string | undefined
  readonly undoes: string | undefined
  readonly undoneBy: string | undefined
  readonly node: string | undefined
  readonly at: number
}

/**
 * Rows around each change of a node: compiled once, and written without waiting for the disk. Nothing is written about one that
 * another server has judged, because it took this node for dead.
 */
export interface OperationRows {
  begin(id: string, change: Change, facts: { effects: string; at: number }): Promise<void>
  /** While it is under way. */
  note(id: string, effects: string): Promise<void>
  end(id: string, change: Change, done: StoredDone): Promise<void>
  /** One of which nothing was written before. */
  add(id: string, change: Change, done: StoredDone & { at: number }): Promise<void>
  drop(id: string): Promise<void>
}

interface StoredDone {
  readonly effects: string
  /** Those that are needed to take it back. */
  readonly items: readonly Location[]
}

interface AddOptions {
  /** No other process would be asked for a row in the moment in which its change is answered: it waits for others to share their commit. */
  readonly mayWait: boolean
  /** One that has waited could not be written. */
  readonly lost: (error: unknown) => void
}

export function operationRows(db: Kysely<Database>, node: string, { mayWait, lost }: AddOptions): OperationRows {
  const row: OperationRow = {
    ...{ id: 'id', batch: 'batch', user_id: 0, door: 'door', kind: 'kind', from_location: 'from', to_location: 'to' },
    ...{ effects: 'effects', undoes: 'undoes', undone_by: null, node, at: 0 },
  }
  const { undone_by: _, ...begun } = row
  const inserted = db.insertInto('operation').values(begun)
  const insert = preparedChange(db, inserted)
  const insertLater = mayWait ? preparedLaterChange(db, inserted, lost) : insert
  const ended = { effects: 'effects', from_location: 'from', to_location: 'to', node }
  const change = db.updateTable('operation').where('id', '=', 'id').where('node', '=', node)
  const note = preparedChange(db, change.set({ effects: 'effects' }))
  const end = preparedChange(db, change.set(ended))
  const know = itemsInserter(db)
  const drop = preparedChange(db, db.deleteFrom('operation').where('id', '=', 'id').where('node', '=', node))
  const insertOf = (worker: string | null, insert: (parameters: Parameters) => Promise<void>) => {
    type Facts = { effects: string; at: number }
    return (id: string, { batch, actor, door, kind, from, to, undoes }: Change, { effects, at }: Facts) =>
      insert([
        ...[id, batch ?? id, actor.id, door, kind, from ?? null, to ?? null],
        ...[effects, undoes ?? null, worker, at],
      ])
  }
  const add = insertOf(null, insertLater)
  return {
    begin: insertOf(node, insert),
    note: (id, effects) => note([effects, id, node]),
    async end(id, { from, to }, { effects, items }) {
      await Promise.all([know(id, items), end([effects, from ?? null, to ?? null, null, id, node])])
    },
    async add(id, change, done) {
      await Promise.all([know(id, done.items), add(id, change, done)])
    },
    drop: (id) => drop([id, node]),
  }
}

/** In parts, so that others get their turn. */
function itemsInserter(db: Kysely<Database>): (operation: string, items: readonly Location[]) => Promise<void> {
  const row = { item: 'item', operation: 'operation' }
  const insert = preparedChange(
    db,
    db
      .insertInto('known_item')
      .values(row)
      .onConflict((conflict) => conflict.doNothing()),
  )
  return async (operation, items) => {
    for (const some of inParts(items)) await Promise.all(some.map((item) => insert([item, operation])))
  }
}

/**
 * What became of an operation that a dead node left; nothing, where there are no effects. Only while it is open: where the look
 * at the disk took long, another server may have judged it, and the account may have taken it back since.
 */
export async function judgeOperation(
  db: Kysely<Database>,
  { id, node }: { readonly id: string; readonly node: string },
  effects: string | undefined,
): Promise<void> {
  if (effects === undefined) {
    await db.deleteFrom('operation').where('id', '=', id).where('node', '=', node).execute()
    return
  }
  await itemsInserter(db)(id, itemsIn(effects))
  await db.updateTable('operation').set({ effects, node: null }).where('id', '=', id).where('node', '=', node).execute()
}

/** In characters: longer effects are not read for a list. */
const longestListed = 4000

const columns = ['id', 'batch', 'kind', 'from_location', 'to_location', 'undoes', 'undone_by', 'node', 'at'] as const

type Row = Pick<OperationRow, (typeof columns)[number]> & { readonly effects: string | null }

const toOperation = (row: Row): StoredOperation => ({
  id: row.id,
  batch: row.batch,
  kind: row.kind as ChangeKind,
  from: (row.from_location ?? undefined) as Location | undefined,
  to: (row.to_location ?? undefined) as Location | undefined,
  effects: row.effects ?? undefined,
  undoes: row.undoes ?? undefined,
  undoneBy: row.undone_by ?? undefined,
  node: row.node ?? undefined,
  at: row.at,
})

/** Of one account, the newest first. */
export async function recentOperations(
  db: Kysely<Database>,
  userId: number,
  since: number,
  most: number,
): Promise<StoredOperation[]> {
  const rows = await db
    .selectFrom('operation')
    .select(columns)
    .select(sql<string | null>`CASE WHEN length(effects) <= ${longestListed} THEN effects END`.as('effects'))
    .where('user_id', '=', userId)
    .where('at', '>=', since)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(most)
    .execute()
  return rows.map(toOperation)
}

export async function countOfBatch(db: Kysely<Database>, batch: string, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('operation')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('batch', '=', batch)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return count
}

/** Of several batches, what kind each began with. */
export async function kindsOfBatches(
  db: Kysely<Database>,
  batches: readonly string[],
  userId: number,
): Promise<ReadonlyMap<string, { kind: ChangeKind; isUndo: boolean }>> {
  if (batches.length === 0) return new Map()
  const rows = await db
    .selectFrom('operation')
    .select(['batch', 'kind', 'undoes'])
    .where('id', 'in', (is) =>
      is
        .selectFrom('operation')
        .select(({ fn }) => fn.min('id').as('first'))
        .where('batch', 'in', batches)
        .where('user_id', '=', userId)
        .groupBy('batch'),
    )
    .execute()
  return new Map(rows.map(({ batch, kind, undoes }) => [batch, { kind: kind as ChangeKind, isUndo: undoes !== null }]))
}

/** In the order in which they were begun. Read in parts, so that others get their turn. */
export async function operationsOfBatch(
  db: Kysely<Database>,
  batch: string,
  userId: number,
): Promise<StoredOperation[]> {
  const found: StoredOperation[] = []
  for (let isMore = true; isMore; ) {
    const rows = await db
      .selectFrom('operation')
      .select([...columns, 'effects'])
      .where('batch', '=', batch)
      .where('user_id', '=', userId)
      .where('id', '>', found.at(-1)?.id ?? '')
      .orderBy('id')
      .limit(mostAtOnce)
      .execute()
    found.push(...rows.map(toOperation))
    isMore = rows.length === mostAtOnce
    if (isMore) await yieldToLoop()
  }
  return found
}

/** Says that operations are taken back by a batch: all of them, or none where another one was first with one of them. */
export const claimUndo = (db: Kysely<Database>, ids: readonly string[], by: string): Promise<boolean> =>
  transaction(db, 'serializable', async (trx) => {
    for (const some of inParts(ids)) {
      const { count } = await trx
        .selectFrom('operation')
        .select((is) => is.fn.countAll<number>().as('count'))
        .where('id', 'in', some)
        .where((is) => is.or([is('undone_by', 'is', null), is('undone_by', '=', by)]))
        .executeTakeFirstOrThrow()
      if (count < some.length) return false
    }
    for (const some of inParts(ids))
      await trx.updateTable('operation').set({ undone_by: by }).where('id', 'in', some).execute()
    return true
  })

export async function releaseUndo(db: Kysely<Database>, ids: readonly string[], by: string): Promise<void> {
  for (const some of inParts(ids))
    await db
      .updateTable('operation')
      .set({ undone_by: null })
      .where('id', 'in', some)
      .where('undone_by', '=', by)
      .execute()
}

const mostAtOnce = 500

/** A thing that is kept again has another id and place by then: operations that knew it by the old place find it there. */
export async function replaceKept(
  db: Kysely<Database>,
  item: Location,
  replace: (effects: string) => string,
): Promise<void> {
  const rows = await db
    .selectFrom('known_item')
    .innerJoin('operation', 'operation.id', 'known_item.operation')
    .select(['operation.id', 'operation.effects'])
    .where('known_item.item', '=', item)
    .where('operation.node', 'is', null)
    .execute()
  for (const { id, effects: known } of rows) {
    const effects = replace(known)
    if (effects === known) continue
    await itemsInserter(db)(id, itemsIn(effects))
    await db.updateTable('operation').set({ effects }).where('id', '=', id).execute()
  }
}

/** Of places in stores, those that something was restored from since. */
export async function restoredPlaces(
  db: Kysely<Database>,
  places: readonly Location[],
): Promise<ReadonlySet<Location>> {
  const found = new Set<Location>()
  for (const some of inParts(places)) {
    const rows = await db
      .selectFrom('operation')
      .select('from_location')
      // As it stands in the index.
      .where('kind', '=', sql.lit<ChangeKind>('restore'))
      .where('from_location', 'in', some)
      .where('undone_by', 'is', null)
      .execute()
    for (const row of rows) if (row.from_location !== null) found.add(row.from_location as Location)
  }
  return found
}

/** A kept thing had to go before its time: the operation that displaced it says why it cannot be taken back. */
export const noteNoRoom = (db: Kysely<Database>, place: Location): Promise<void> =>
  replaceKept(db, place, (effects) => {
    const done = parseDone(effects)
    if (typeof done === 'string') return effects
    return JSON.stringify(
      done.map((each) => (each.kind === 'kept' && each.place === place ? { ...each, hadNoRoom: true } : each)),
    )
  })

/** What an act of an account has done last. */
export async function lastOfBatch(db: Kysely<Database>, batch: string, userId: number): Promise<string | undefined> {
  const last = await db
    .selectFrom('operation')
    .select('effects')
    .where('batch', '=', batch)
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last?.effects
}

/** Those that were under way, with the node that was at work. */
export async function openOperations(
  db: Kysely<Database>,
): Promise<(StoredOperation & { readonly node: string; readonly userId: number })[]> {
  const rows = await db
    .selectFrom('operation')
    .select([...columns, 'effects', 'user_id'])
    .where('node', 'is not', null)
    .execute()
  // Sorted here: asked for in this order, SQLite would read the whole table by its key.
  rows.sort((one, two) => (one.id < two.id ? -1 : 1))
  return rows.map((row) => ({ ...toOperation(row), node: row.node ?? '', userId: row.user_id }))
}

/** Ids grow with time. Some at once, so that others get their turn. */
export async function sweepOperations(db: Kysely<Database>, before: string): Promise<boolean> {
  const old = db.selectFrom('operation').select('id').where('id', '<', before).orderBy('id').limit(mostAtOnce)
  const ids = (await old.execute()).map(({ id }) => id)
  const last = ids.at(-1)
  if (last === undefined) return false
  await db.deleteFrom('known_item').where('operation', '<=', last).execute()
  await db.deleteFrom('operation').where('id', 'in', ids).execute()
  return ids.length === mostAtOnce
}

export async function deleteOperationsOf(db: Kysely<Database>, userId: number): Promise<void> {
  await db.deleteFrom('operation').where('user_id', '=', userId).execute()
}

/** What was done in a mount that is served no longer cannot be taken back. */
export async function deleteOperationsIn(db: Kysely<Database>, mount: number): Promise<void> {
  const start = `${mount}:/`
  await db
    .deleteFrom('operation')
    .where((is) => is.or([is('from_location', 'like', `${start}%`), is('to_location', 'like', `${start}%`)]))
    .execute()
}
