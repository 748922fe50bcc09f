import { undoFor } from '@filestead/contract'
import type { Kysely } from 'kysely'
import type { Change, Result } from '../../changes/change.ts'
import type { BeginOptions, HiddenFolder, OpenOperation, Operations } from '../../changes/operations.ts'
import type { Clock } from '../../clock.ts'
import { someAtOnce } from '../../concurrency/ahead.ts'
import type { Database } from '../../database/schema.ts'
import type { Log } from '../../log/log.ts'
import { type Location, locationIn, mountOf, pathIn } from '../../mounts/location.ts'
import type { Node } from '../../nodes/node.ts'
import type { Effect } from '../../storage/keeping.ts'
import { hiddenPlaces } from '../../storage/path.ts'
import type { Entry } from '../../storage/port.ts'
import {
  type Beginning,
  causeOf,
  type Done,
  doneOf,
  isTransfer,
  itemsOf,
  markOf,
  mostEffects,
  mostToldStored,
  stateOf,
  wasThere,
} from './effects.ts'
import type { Look } from './look.ts'
import { asRestored, effectsFound, mergingOf, numberedPlaces } from './merging.ts'
import { recoverOperations } from './recover.ts'
import { operationRows, sweepOperations } from './store.ts'

export interface OperationDeps {
  readonly db: Kysely<Database>
  readonly clock: Clock
  readonly node: Pick<Node, 'id' | 'isAlive'>
  /** Do other processes answer requests of the same clients? */
  readonly isOneOfSeveral: boolean
  readonly log: Pick<Log, 'warn'>
  readonly look: Look
  /** Something about the operations of an account changed: must neither wait nor fail. */
  readonly changed?: (userId: number) => void
}

export interface RememberedOperations extends Operations {
  /** What the storage of a mount has done, as it happens and before its verb answers. */
  tell(mount: number, operation: string, effects: readonly Effect[]): void
  /** Finds out what became of operations of dead nodes, and forgets what is too old. */
  recover(): Promise<void>
}

/** In milliseconds. */
const betweenNotices = 250
const longestSetBack = 60_000

/** An operation under way. */
interface Open {
  readonly change: Change
  readonly at: number
  readonly beginning: Beginning
  readonly told: Done[]
  /** The mount that things come from, where it is another one. */
  readonly source: number | undefined
  isTooMuch: boolean
  isStored: boolean
  /** The rows written so far. Connections to a database keep no order among them: the next waits for the last. */
  noted: Promise<void>
}

/**
 * Remembers what accounts do, for a day. A row is written before the work and after it, without waiting for the disk: it is
 * there after a crash of the server, and may be missing after a power cut. Where rows cannot be written the change goes on,
 * and cannot be taken back.
 */
export function operationsIn(deps: OperationDeps): RememberedOperations {
  const { db, node, log, changed } = deps
  const lost = (error: unknown) => log.warn({ err: error }, lostText)
  const rows = operationRows(db, node.id, { mayWait: !deps.isOneOfSeveral, lost })
  const open = new Map<string, Open>()
  const toTell = new Set<number>()
  let latest = 0

  /** Many small files are many operations. */
  function tellChanged(userId: number): void {
    if (toTell.size === 0)
      setTimeout(() => {
        for (const each of toTell) changed?.(each)
        toTell.clear()
      }, betweenNotices).unref()
    toTell.add(userId)
  }

  /** In the order in which they are begun, also where the clock is set back a little. */
  function nextTime(): number {
    const now = deps.clock.unixSeconds() * 1000 + (Date.now() % 1000)
    latest = now < latest && latest - now < longestSetBack ? latest + 1 : now
    return latest
  }

  const look = (location: Location | undefined): Promise<Entry | undefined> =>
    location === undefined ? Promise.resolve(undefined) : deps.look.at(location).catch(() => undefined)

  async function beginningOf(change: Change, { hidden, fresh }: BeginOptions): Promise<Beginning> {
    if (!isTransfer(change)) return { fresh }
    const { from, to } = change
    const [source, target] = await Promise.all([look(from), look(to)])
    const known = { source: source?.id, sourceState: source && stateOf(source) }
    if (target === undefined || to === undefined) return { ...known, target: 'none' }
    const facts = { ...known, targetId: target.id, targetVersion: target.version } as const
    // What is hidden gets no other name than the one that was asked for.
    if (hidden !== undefined) {
      const place = await deps.look.followed(to)
      const merge = { sources: placesOf(place, hidden), to: place, isMove: false }
      return { ...facts, target: 'folder', merging: await merging(merge) }
    }
    const areFolders = source?.kind === 'folder' && target.kind === 'folder'
    return {
      ...facts,
      target: target.kind === 'folder' ? 'folder' : 'other',
      beside: await freeBeside(to),
      ...(areFolders &&
        from !== undefined && {
          merging: await merging({ sources: [from], to, isMove: change.kind !== 'copy' }),
        }),
    }
  }

  const placesOf = (to: Location, { id, inside }: HiddenFolder): Location[] =>
    hiddenPlaces(pathIn(to), id, inside).map((path) => locationIn(mountOf(to), path))

  async function freeBeside(to: Location): Promise<Location | undefined> {
    for (const place of numberedPlaces(to)) if ((await look(place)) === undefined) return place
    return undefined
  }

  const merging = (merge: Parameters<typeof mergingOf>[1]): Promise<Beginning['merging']> =>
    mergingOf(deps.look, merge).then(
      (found) => found ?? 'too-much',
      () => undefined,
    )

  async function begin(change: Change, options: BeginOptions = {}): Promise<OpenOperation> {
    const { isStoredWhenDone = false } = options
    const at = nextTime()
    const id = Bun.randomUUIDv7('hex', at)
    const { actor } = change
    const keep = { operation: id, user: actor, door: change.door, cause: causeOf(change.kind) }
    const none: OpenOperation = { keep, end: async () => {} }
    // Guests have no list of what they did.
    if (actor.id <= 0) return none
    const beginning = await beginningOf(change, options)
    const source = change.from && mountOf(change.from)
    const operation = { change, at, beginning, told: [], source, isTooMuch: false, noted: Promise.resolve() }
    if (!isStoredWhenDone && !(await isBegun(id, operation, JSON.stringify(beginning)))) return none
    open.set(id, { ...operation, isStored: !isStoredWhenDone })
    return { keep, end: (latest, result, entry) => end(id, change, latest, result, entry) }
  }

  const isBegun = (id: string, { change, at }: Pick<Open, 'change' | 'at'>, effects: string): Promise<boolean> =>
    rows.begin(id, change, { effects, at }).then(
      () => true,
      (error) => {
        log.warn({ err: error, kind: change.kind }, 'What is done now cannot be taken back: it could not be stored')
        return false
      },
    )

  async function end(
    id: string,
    asked: Change,
    latest: Change,
    result: Result,
    entry: Entry | undefined,
  ): Promise<void> {
    const operation = open.get(id)
    if (operation === undefined) return
    open.delete(id)
    await operation.noted
    const { isStored, at } = operation
    try {
      const effects = await effectsOf(operation, asked, latest, result, entry)
      const isTooMuch = operation.isTooMuch || operation.beginning.merging === 'too-much'
      const done = { effects: textOf(effects, isTooMuch), items: isTooMuch ? [] : itemsOf(effects) }
      if (effects.length === 0 && !isStored) return
      if (effects.length === 0) await rows.drop(id)
      else if (isStored) await rows.end(id, latest, done)
      else await rows.add(id, latest, { ...done, at })
    } catch (error) {
      // A row that there is stays as of a server that died, and is looked at like one when this one has ended.
      log.warn({ err: error, kind: latest.kind }, lostText)
    }
    tellChanged(asked.actor.id)
  }

  /** What was told, and what is known of a change without being told. */
  async function effectsOf(
    { told, beginning, isTooMuch }: Open,
    asked: Change,
    { kind, from, to }: Change,
    result: Result,
    entry: Entry | undefined,
  ): Promise<readonly Done[]> {
    if (isTooMuch) return told
    const { merging } = beginning
    if (merging !== undefined && to === asked.to) return effectsOfMerge(merging, told, kind)
    const marked = await someAtOnce(told, withMark)
    if (result === 'failed') return marked
    const isDone = told.some(({ kind }) => kind === 'made' || kind === 'moved' || kind === 'emptied')
    switch (kind) {
      case 'remove':
        return told.length === 0 && from !== undefined ? [{ kind: 'lost', at: from }] : marked
      case 'create-folder':
        return marked
      case 'save':
      case 'create':
      case 'upload': {
        if (to === undefined) return marked
        // Where a symlink leads to the file, that one was replaced.
        const replaced = told.find((each) => each.kind === 'kept')
        if (kind === 'save' && replaced === undefined) return [{ kind: 'lost', at: to }]
        return [...marked, { kind: 'made', at: replaced?.at ?? to, ...(entry && markOf(entry)) }]
      }
      default: {
        const isMerged = beginning.target === 'folder' && to === asked.to
        if (isDone || isMerged || to === undefined || from === to) return marked
        const isReplaced = beginning.target === 'other' && to === asked.to
        const there = await look(to)
        if (isReplaced && !told.some((each) => each.kind === 'kept')) {
          // A job that goes on after a crash repeats its last step, which may have been done: then this was nothing.
          if (there === undefined || !wasThere(beginning, there)) return [{ kind: 'lost', at: to }]
          const hasGone = kind === 'move' && from !== undefined && (await look(from)) === undefined
          return hasGone ? [...marked, { kind: 'alike', from, at: to, ...markOf(there) }] : marked
        }
        const mark = there && markOf(there)
        if (kind === 'move' && from !== undefined) {
          const moved: Done = { kind: 'moved', from, to, ...mark }
          return [...marked, there?.id === beginning.source ? moved : await withContent(moved)]
        }
        const was = kind === 'restore' ? from : undefined
        return [...marked, await withContent({ kind: 'made', at: to, was, ...mark })]
      }
    }
  }

  /** What was told, as far as it is so by now, and what was not told: of an earlier try, and what the target had already. */
  async function effectsOfMerge(
    merging: NonNullable<Beginning['merging']>,
    told: readonly Done[],
    kind: Change['kind'],
  ): Promise<readonly Done[]> {
    if (merging === 'too-much') return someAtOnce(told, withMark)
    const isSo = await someAtOnce(told, async (each) => {
      if (each.kind === 'emptied') return (await look(each.at)) === undefined
      // To another disk its copy comes first: one that stays was not moved.
      return each.kind !== 'moved' || (await look(each.from)) === undefined
    })
    const known = told.filter((_, index) => isSo[index])
    const { done } = await effectsFound(deps.look, merging, known)
    return [...(await someAtOnce(known, withMark)), ...(kind === 'restore' ? asRestored(done) : done)]
  }

  async function withMark(done: Done): Promise<Done> {
    if (done.kind !== 'made' && done.kind !== 'moved') return done
    const there = await look(done.kind === 'made' ? done.at : done.to)
    const marked: Done = { ...done, ...(there && markOf(there)) }
    return marked.kind === 'made' || isBetweenMounts(done) ? withContent(marked) : marked
  }

  async function withContent(done: Done): Promise<Done> {
    if ((done.kind !== 'made' && done.kind !== 'moved') || !done.isFolder) return done
    const folder = done.kind === 'made' ? done.at : done.to
    return { ...done, content: await deps.look.contentOf(folder).catch(() => undefined) }
  }

  function tell(mount: number, id: string, effects: readonly Effect[]): void {
    const operation = open.get(id)
    if (operation === undefined || operation.isTooMuch) return
    for (const effect of effects) {
      const done = doneOf(mount, effect, operation.source ?? mount)
      operation.told.push(done)
    }
    if (operation.told.length > mostEffects) {
      operation.told.length = 1
      operation.isTooMuch = true
    }
    // For a crash in the middle of the work. What is merged is found by comparing; of others much is told only at their end.
    const { isStored } = operation
    if (isStored && (operation.told.length > mostToldStored || operation.beginning.merging !== undefined)) return
    const known = JSON.stringify({ ...operation.beginning, told: operation.told })
    operation.isStored = true
    operation.noted = operation.noted
      .then(async () => void (await (isStored ? rows.note(id, known) : isBegun(id, operation, known))))
      .catch(() => {})
  }

  return {
    begin,
    tell,
    async recover() {
      const oldest = deps.clock.unixSeconds() * 1000 - undoFor
      const before = Bun.randomUUIDv7('hex', Math.max(0, oldest)).slice(0, 14)
      while (await sweepOperations(db, before));
      await recoverOperations(deps)
    },
  }
}

const lostText = 'What was done could not be stored'

const isBetweenMounts = (done: Done): boolean => done.kind === 'moved' && mountOf(done.from) !== mountOf(done.to)

/** What was lost cannot come back, and then nothing of the operation does. */
const textOf = (effects: readonly Done[], isTooMuch: boolean): string =>
  isTooMuch ? 'too-much' : effects.some(({ kind }) => kind === 'lost') ? 'not-kept' : JSON.stringify(effects)
