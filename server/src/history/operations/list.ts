import { nameOf, type Operation, type OperationKind, parentOf, type UndoRefusal, undoFor } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { type Scope, seenPath } from '../../access/scope.ts'
import type { Clock } from '../../clock.ts'
import { flatMapInSlices } from '../../concurrency/time-slices.ts'
import type { Database } from '../../database/schema.ts'
import type { Location } from '../../mounts/location.ts'
import type { KeptItem } from '../store.ts'
import { type KeptDone, parseDone } from './effects.ts'
import { countOfBatch, kindsOfBatches, recentOperations, restoredPlaces, type StoredOperation } from './store.ts'

/** Kept items by their ids; those that are gone are left out. */
export type FindKept = (ids: readonly string[]) => Promise<ReadonlyMap<string, KeptItem>>

export interface ListDeps {
  readonly db: Kysely<Database>
  readonly clock: Clock
  readonly findKept: FindKept
}

const mostBatches = 200
/** Of the last batch there may be more. */
const mostRows = 2000
const mostNames = 3

/** What the caller did in the last day, the newest first; what was done in one act is one entry. */
export async function listOperations(deps: ListDeps, scope: Scope): Promise<Operation[]> {
  const { db, clock } = deps
  const { id: userId } = scope.actor.user
  const since = clock.unixSeconds() * 1000 - undoFor
  const rows = await recentOperations(db, userId, since, mostRows)
  const batches = [...Map.groupBy(rows, ({ batch }) => batch)].slice(0, mostBatches)
  const undone = batches.flatMap(([, [first]]) => first?.undoes ?? [])
  const kinds = await kindsOfBatches(db, [...new Set(undone)], userId)
  const isCut = rows.length === mostRows
  const last = rows.at(-1)?.batch
  const refusalOf = await refusalsAmong(deps, scope, rows)
  const listed: Operation[] = []
  for (const [batch, operations] of batches) {
    const count = isCut && batch === last ? await countOfBatch(db, batch, userId) : operations.length
    const why = await refusalOf(operations)
    const { undoes } = operations[0] as StoredOperation
    const undid = undoes === undefined ? undefined : kinds.get(undoes)
    listed.push({
      id: batch,
      kind: undoes === undefined ? kindOf(operations) : 'undo',
      ...(undid !== undefined && { undid: undid.isUndo ? 'undo' : undid.kind }),
      count,
      ...shownEnds(scope, operations),
      at: Math.max(...operations.map(({ at }) => at)),
      canUndo: why === undefined,
      ...(why !== undefined && { why }),
    })
  }
  return listed
}

type RefusalOf = (batch: readonly StoredOperation[]) => Promise<UndoRefusal | undefined>

/** Why a batch of these operations cannot be taken back, as far as rows tell. What is out of sight may be gone or not. */
export async function refusalsAmong(
  { db, findKept }: Pick<ListDeps, 'db' | 'findKept'>,
  scope: Scope,
  operations: readonly StoredOperation[],
): Promise<RefusalOf> {
  const needed = await flatMapInSlices(operations, keptBy)
  const known = await findKept(needed.map(({ id }) => id))
  const missing = needed.filter(({ id }) => !known.has(id))
  const restored = await restoredPlaces(
    db,
    missing.map(({ place }) => place),
  )
  const fateOf = ({ id, place, at, hadNoRoom }: KeptDone): UndoRefusal | undefined => {
    if (known.has(id) || seenPath(scope.view, at) === undefined) return undefined
    return hadNoRoom ? 'no-room' : restored.has(place) ? 'restored' : 'purged'
  }
  const unkept = ({ effects }: StoredOperation): UndoRefusal[] => {
    const done = effects === undefined ? [] : parseDone(effects)
    return typeof done === 'string' ? [done] : []
  }
  return async (batch) => {
    const open = batch.filter(({ undoneBy }) => undoneBy === undefined)
    if (open.length === 0) return 'undone'
    if (open.some(({ node }) => node !== undefined)) return 'under-way'
    const [reason] = await flatMapInSlices(open, unkept)
    return reason ?? (await flatMapInSlices(open, keptBy)).map(fateOf).find((each) => each !== undefined)
  }
}

/** What an operation has displaced, and needs to be taken back. */
export function keptBy({ effects, node, undoneBy }: StoredOperation): KeptDone[] {
  if (effects === undefined || node !== undefined || undoneBy !== undefined) return []
  const done = parseDone(effects)
  return typeof done === 'string' ? [] : done.filter((each) => each.kind === 'kept')
}

/** Folders are made on the way of an upload. */
const kindOf = (operations: readonly StoredOperation[]): OperationKind =>
  (operations.find(({ kind }) => kind !== 'create-folder') ?? operations[0])?.kind ?? 'create-folder'

const leaves = ({ kind }: StoredOperation): boolean => kind === 'move' || kind === 'copy' || kind === 'remove'

/** Of a removal and a restore one end is in the trash, which has no path. */
function shownEnds(
  scope: Scope,
  operations: readonly StoredOperation[],
): Pick<Operation, 'names' | 'from' | 'to' | 'renamedTo'> {
  const oldestFirst = operations.toReversed()
  const [first] = oldestFirst
  const tops = oldestFirst.flatMap((operation) => (leaves(operation) ? operation.from : operation.to) ?? [])
  const from = folderOf(
    scope,
    operations.flatMap((operation) => (leaves(operation) ? (operation.from ?? []) : [])),
  )
  const to = folderOf(
    scope,
    operations.flatMap((operation) => (operation.kind === 'remove' ? [] : (operation.to ?? []))),
  )
  return {
    names: [...new Set(tops.map((location) => nameOf(location)))].slice(0, mostNames),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(operations.every(isRename) && first?.to !== undefined && { renamedTo: nameOf(first.to) }),
  }
}

const isRename = ({ kind, from, to }: StoredOperation): boolean =>
  kind === 'move' && from !== undefined && to !== undefined && parentOf(from) === parentOf(to)

/** The folder that all lie in; undefined where one is out of sight by now. */
function folderOf(scope: Scope, locations: readonly Location[]): string | undefined {
  const paths = locations.map((location) => seenPath(scope.view, location))
  if (paths.length === 0 || paths.includes(undefined)) return undefined
  const folders = paths.map((path) => (path ?? '/').split('/').slice(1, -1))
  const common = folders.reduce((one, other) => {
    const differs = one.findIndex((part, index) => part !== other[index])
    return differs < 0 ? one : one.slice(0, differs)
  })
  return `/${common.join('/')}`
}
