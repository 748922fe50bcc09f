import { numbered } from '@filestead/contract'
import type { Kysely } from 'kysely'
import type { Change } from '../../changes/change.ts'
import type { Database } from '../../database/schema.ts'
import type { Log } from '../../log/log.ts'
import { type Location, locationIn, mountOf, pathIn } from '../../mounts/location.ts'
import type { Node } from '../../nodes/node.ts'
import { checkedPath } from '../../storage/path.ts'
import type { Entry, KeptFound } from '../../storage/port.ts'
import { type Beginning, type Done, type Irreversible, markOf, parseBeginning } from './effects.ts'
import type { Look } from './look.ts'
import { type OperationRows, openOperations, type StoredOperation } from './store.ts'

interface RecoveryDeps {
  readonly db: Kysely<Database>
  readonly node: Pick<Node, 'isAlive'>
  readonly log: Pick<Log, 'warn'>
  readonly look: Look
}

/** What the stores of the disks hold of an operation. */
type KeptOf = (operation: string) => readonly Extract<Done, { kind: 'kept' }>[]

/** In milliseconds: the clock of a file system goes in steps of up to so much. */
const clockStep = 10
/** Names that are tried for what did not get the one that was asked for. */
const mostNumbers = 50

/**
 * What dead nodes had begun: the disk tells what became of it. An operation that did nothing is forgotten, and one of which
 * that cannot be told is listed as unfinished.
 */
export async function recoverOperations(deps: RecoveryDeps, rows: OperationRows): Promise<void> {
  const left = (await openOperations(deps.db)).filter(({ node }) => !deps.node.isAlive(node))
  if (left.length === 0) return
  const keptOf = await readStores(deps.look, left)
  for (const operation of left) {
    // A disk that is away now is looked at the next time.
    const effects = await effectsAfterCrash(deps.look, keptOf, operation).catch(() => undefined)
    if (effects === undefined) continue
    const change = { from: operation.from, to: operation.to } as Change
    if (typeof effects === 'string') await rows.end(operation.id, change, effects)
    else if (effects.length === 0) await rows.drop(operation.id)
    else await rows.end(operation.id, change, JSON.stringify(effects))
  }
}

async function readStores(look: Look, left: readonly StoredOperation[]): Promise<KeptOf> {
  const wanted = new Map<string, Extract<Done, { kind: 'kept' }>[]>(left.map(({ id }) => [id, []]))
  const mounts = new Set(left.flatMap(({ from, to }) => [from, to].flatMap((end) => (end ? [mountOf(end)] : []))))
  for (const mount of mounts) {
    const take = (found: readonly KeptFound[]) => {
      for (const { id, place, at, kind, keep } of found)
        wanted.get(keep?.operation ?? '')?.push({
          kind: 'kept',
          id,
          place: locationIn(mount, place),
          at: locationIn(mount, at),
          isFolder: kind === 'folder',
        })
    }
    await look.kept(mount, take)
  }
  return (operation) => wanted.get(operation) ?? []
}

async function effectsAfterCrash(
  { at: lookAt, contentOf }: Look,
  keptOf: KeptOf,
  operation: StoredOperation,
): Promise<readonly Done[] | Irreversible> {
  const { kind, from, to, id } = operation
  const beginning = parseBeginning(operation.effects ?? '')
  const told = beginning.told ?? []
  const parents = told.filter(({ kind }) => kind === 'parent')
  const kept = keptOf(id)
  const look = (location: Location | undefined) =>
    location === undefined ? Promise.resolve(undefined) : lookAt(location)
  if (told.some(({ kind }) => kind === 'lost')) return 'not-kept'

  if (kind === 'remove') {
    if (kept.length > 0) return kept
    return (await look(from)) === undefined ? 'not-kept' : []
  }
  if (kind === 'create-folder') {
    if (parents.length > 0) return parents
    const there = await look(to)
    return there === undefined ? [] : isSince(there, operation.at) ? [{ kind: 'parent', at: to as Location }] : []
  }
  if (kind === 'save' || kind === 'create' || kind === 'upload') {
    const there = await look(to)
    if (there === undefined || to === undefined) return [...parents, ...kept]
    const made: Done = { kind: 'made', at: to, ...markOf(there) }
    if (kept.length > 0) return [...parents, ...kept, made]
    if (isSince(there, operation.at)) return kind === 'save' ? 'not-kept' : [...parents, made]
    return isSince(there, operation.at - clockStep) ? 'unfinished' : []
  }
  if (beginning.target === 'folder') return 'unfinished'
  return kind === 'move'
    ? afterMove(look, operation, beginning, [...parents, ...kept])
    : afterCopy(look, contentOf, operation, beginning, [...parents, ...kept])
}

type LookAt = (location: Location | undefined) => Promise<Entry | undefined>

async function afterMove(
  look: LookAt,
  { from, to }: StoredOperation,
  { source }: Beginning,
  before: readonly Done[],
): Promise<readonly Done[] | Irreversible> {
  if (from === undefined || to === undefined) return 'unfinished'
  const stays = await look(from)
  if (stays !== undefined) return stays.id === source ? before : 'unfinished'
  for (const place of placesFor(to)) {
    const there = await look(place)
    if (there === undefined) break
    if (there.id === source && source !== undefined)
      return [...before, { kind: 'moved', from, to: place, ...markOf(there) }]
  }
  return 'unfinished'
}

async function afterCopy(
  look: LookAt,
  contentOf: Look['contentOf'],
  { kind, from, to }: StoredOperation,
  { target }: Beginning,
  before: readonly Done[],
): Promise<readonly Done[] | Irreversible> {
  const there = await look(to)
  if (there === undefined || to === undefined) return before
  const isReplaced = before.some((done) => done.kind === 'kept' && done.at === to)
  // What had the name before may have stayed, and the copy may have another one.
  if (target !== 'none' && !isReplaced) return 'unfinished'
  const mark = markOf(there)
  return [
    ...before,
    {
      kind: 'made',
      at: to,
      was: kind === 'restore' ? from : undefined,
      ...mark,
      ...(mark.isFolder && { content: await contentOf(to) }),
    },
  ]
}

function* placesFor(to: Location): Generator<Location> {
  yield to
  for (let number = 1; number <= mostNumbers; number += 1)
    yield locationIn(mountOf(to), checkedPath(numbered(pathIn(to), number)))
}

const isSince = ({ seconds, nanoseconds }: Entry, at: number): boolean => seconds * 1000 + nanoseconds / 1e6 >= at
