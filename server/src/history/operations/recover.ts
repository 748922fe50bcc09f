import type { Kysely } from 'kysely'
import type { FreshFile } from '../../changes/operations.ts'
import type { Database } from '../../database/schema.ts'
import type { Log } from '../../log/log.ts'
import { type Location, locationIn, mountOf } from '../../mounts/location.ts'
import type { Node } from '../../nodes/node.ts'
import type { Entry, KeptFound } from '../../storage/port.ts'
import { foundItem } from '../kept.ts'
import { insertKept, type KeptItem, keptBy } from '../store.ts'
import {
  type Beginning,
  type Done,
  type Irreversible,
  type KeptDone,
  markOf,
  parseBeginning,
  stateOf,
  wasThere,
} from './effects.ts'
import type { Look } from './look.ts'
import { asRestored, effectsFound, type Merging } from './merging.ts'
import { judgeOperation, openOperations, type StoredOperation } from './store.ts'

interface RecoveryDeps {
  readonly db: Kysely<Database>
  readonly node: Pick<Node, 'isAlive'>
  readonly log: Pick<Log, 'warn'>
  readonly look: Look
}

interface Stores {
  /** What they hold of an operation. */
  readonly keptOf: KeptOf
  /** Mounts whose stores did not answer. */
  readonly unread: ReadonlyMap<number, unknown>
}

type KeptOf = (operation: string) => readonly KeptDone[]

/** In milliseconds: the clock of a file system goes in steps of up to so much. */
const clockStep = 10

/**
 * What dead nodes had begun: the disk tells what became of it. An operation that did nothing is forgotten, and one of which
 * that cannot be told is listed as unfinished. Fails where a disk that is away leaves some for the next time, or for another
 * server, which may reach it.
 */
export async function recoverOperations(deps: RecoveryDeps): Promise<void> {
  const left = (await openOperations(deps.db)).filter(({ node }) => !deps.node.isAlive(node))
  if (left.length === 0) return
  const stores = await readStores(deps, left)
  const failures = [...stores.unread.values()]
  for (const operation of left) {
    if (mountsOf(operation).some((mount) => stores.unread.has(mount))) continue
    try {
      const effects = await effectsAfterCrash(deps.look, stores.keptOf, operation)
      if (effects === 'unfinished') {
        const { id, kind, from, to } = operation
        deps.log.warn(
          { operation: id, kind, from, to },
          'A server died in the middle of this, and how far it came is not known',
        )
      }
      await judgeOperation(deps.db, operation, textOf(effects))
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

const textOf = (effects: readonly Done[] | Irreversible): string | undefined =>
  typeof effects === 'string' ? effects : effects.length === 0 ? undefined : JSON.stringify(effects)

/** What is found gets its row at once, if the dead node came to none: without it, it would count as gone. */
async function readStores({ db, look }: RecoveryDeps, left: readonly StoredOperation[]): Promise<Stores> {
  const wanted = new Map<string, KeptDone[]>(left.map(({ id }) => [id, []]))
  const unread = new Map<number, unknown>()
  // Read before the disk: one that loses its row meanwhile was restored or ended by a living server.
  const known = await keptBy(db, [...wanted.keys()])
  for (const mount of new Set(left.flatMap(mountsOf))) {
    const items: KeptItem[] = []
    const take = (part: readonly KeptFound[]) => {
      for (const found of part) {
        const operation = wanted.get(found.keep?.operation ?? '')
        if (operation === undefined) continue
        operation.push(keptDone(mount, found))
        if (!known.has(found.id)) items.push(foundItem(mount, found))
      }
    }
    await look.kept(mount, take).catch((error) => void unread.set(mount, error))
    await insertKept(db, items)
  }
  return { keptOf: (operation) => wanted.get(operation) ?? [], unread }
}

const mountsOf = ({ from, to }: StoredOperation): number[] => [from, to].flatMap((end) => (end ? [mountOf(end)] : []))

const keptDone = (mount: number, { id, place, at, kind }: KeptFound): KeptDone => ({
  kind: 'kept',
  id,
  place: locationIn(mount, place),
  at: locationIn(mount, at),
  isFolder: kind === 'folder',
})

async function effectsAfterCrash(
  look: Look,
  keptOf: KeptOf,
  operation: StoredOperation,
): Promise<readonly Done[] | Irreversible> {
  const { kind, from, to, id } = operation
  const beginning = parseBeginning(operation.effects ?? '')
  const told = beginning.told ?? []
  const parents = told.filter(({ kind }) => kind === 'parent')
  const kept = keptOf(id)
  const at = (location: Location | undefined) =>
    location === undefined ? Promise.resolve(undefined) : look.at(location)
  if (told.some(({ kind }) => kind === 'lost')) return 'not-kept'

  if (kind === 'remove') {
    if (kept.length > 0) return kept
    return (await at(from)) === undefined ? 'not-kept' : []
  }
  if (kind === 'create-folder') {
    if (parents.length > 0) return parents
    const there = await at(to)
    // One that another has made in the same moment goes only while it is empty.
    const isMade = there !== undefined && isSince(there, operation.at - clockStep)
    return isMade ? [{ kind: 'parent', at: to as Location }] : []
  }
  if (kind === 'save' || kind === 'create' || kind === 'upload') {
    const there = await at(to)
    if (there === undefined || to === undefined) return [...parents, ...kept]
    const made: Done = { kind: 'made', at: to, ...markOf(there) }
    if (kept.length > 0) return [...parents, ...kept, made]
    if (isSince(there, operation.at)) return kind === 'save' ? 'not-kept' : [...parents, made]
    const isThisMoment = isSince(there, operation.at - clockStep)
    const { fresh } = beginning
    if (fresh !== undefined && (isThisMoment || isLike(there, fresh))) return [...parents, made]
    return isThisMoment ? 'unfinished' : parents
  }
  const known = [...parents, ...kept]
  const { merging } = beginning
  if (merging === 'too-much') return known.length === 0 ? 'unfinished' : 'too-much'
  if (merging !== undefined) return afterMerge(look, operation, beginning, merging, kept)
  if (kind === 'move' || (kind === 'restore' && from !== undefined)) return afterMove(look, operation, beginning, known)
  return beginning.target === 'folder' ? 'unfinished' : afterCopy(look, operation, beginning, known)
}

/** Of two folders; or one got a number, because both were to stay. */
async function afterMerge(
  look: Look,
  { kind, from }: StoredOperation,
  { source, beside }: Beginning,
  merging: Merging,
  kept: readonly Done[],
): Promise<readonly Done[] | Irreversible> {
  const isMove = merging.from !== undefined
  const aside = beside && (await look.at(beside))
  if (aside !== undefined && beside !== undefined && isMove && aside.id === source)
    return arrived(look, { kind, from, to: beside }, aside)
  const { done, isUnclear } = await effectsFound(look, merging, kept)
  if (isUnclear) return 'unfinished'
  if (done.some((each) => each.kind === 'lost')) return 'not-kept'
  if (!isMove && done.length === 0 && aside !== undefined && beside !== undefined)
    return arrived(look, { kind, from, to: beside }, aside)
  return [...kept, ...(kind === 'restore' ? asRestored(done) : done)]
}

async function afterMove(
  look: Look,
  { kind, from, to }: StoredOperation,
  beginning: Beginning,
  before: readonly Done[],
): Promise<readonly Done[] | Irreversible> {
  if (from === undefined || to === undefined) return 'unfinished'
  const { source, sourceState, target, beside } = beginning
  const isIt = (entry: Entry) => (source !== undefined && entry.id === source) || stateOf(entry) === sourceState
  const [stays, there, aside] = [await look.at(from), await look.at(to), beside && (await look.at(beside))]
  const isNew = there !== undefined && (target === 'none' || !wasThere(beginning, there))
  if (stays !== undefined) {
    if (stays.id !== source) return 'unfinished'
    // To another disk its copy comes first, and the original has yet to go.
    const isCopied = isNew && isIt(there)
    return isCopied ? [...before, ...(await arrived(look, { kind: 'copy', from, to }, there))] : before
  }
  if (isNew && isIt(there)) return [...before, ...(await arrived(look, { kind, from, to }, there))]
  if (aside !== undefined && beside !== undefined && isIt(aside))
    return [...before, ...(await arrived(look, { kind, from, to: beside }, aside))]
  if (kind === 'move' && there !== undefined && !isNew && there.kind === 'file' && stateOf(there) === sourceState)
    return [...before, { kind: 'alike', from, at: to, ...markOf(there) }]
  return 'unfinished'
}

async function afterCopy(
  look: Look,
  { kind, from, to }: StoredOperation,
  beginning: Beginning,
  before: readonly Done[],
): Promise<readonly Done[] | Irreversible> {
  const { target, beside } = beginning
  const there = to && (await look.at(to))
  if (there === undefined || to === undefined) return before
  const isReplaced = before.some((done) => done.kind === 'kept' && done.at === to)
  if (target === 'none' || isReplaced) return [...before, ...(await arrived(look, { kind, from, to }, there))]
  if (!wasThere(beginning, there)) return 'unfinished'
  // What had the name stayed: nothing has happened, or the copy has another one.
  const aside = beside && (await look.at(beside))
  if (aside === undefined || beside === undefined) return before
  return [...before, ...(await arrived(look, { kind, from, to: beside }, aside))]
}

/** It has come to this name: by a move from where it was, else as something new. */
async function arrived(
  look: Look,
  { kind, from, to }: Pick<StoredOperation, 'kind' | 'from'> & { readonly to: Location },
  there: Entry,
): Promise<readonly Done[]> {
  const mark = markOf(there)
  if (kind === 'move' && from !== undefined) return [{ kind: 'moved', from, to, ...mark }]
  const was = kind === 'restore' ? from : undefined
  return [{ kind: 'made', at: to, was, ...mark, ...(mark.isFolder && { content: await look.contentOf(to) }) }]
}

/** Its sender has said when it was changed, which may be long ago. Some file systems keep even seconds only. */
const isLike = ({ seconds, size }: Entry, fresh: FreshFile): boolean =>
  fresh.modified !== undefined && size === fresh.size && Math.abs(seconds * 1000 - fresh.modified) < 2000

const isSince = ({ seconds, nanoseconds }: Entry, at: number): boolean => seconds * 1000 + nanoseconds / 1e6 >= at
