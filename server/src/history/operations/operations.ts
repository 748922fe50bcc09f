import { undoFor } from '@filestead/contract'
import type { Kysely } from 'kysely'
import type { Change, Result } from '../../changes/change.ts'
import type { OpenOperation, Operations } from '../../changes/operations.ts'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/schema.ts'
import type { Log } from '../../log/log.ts'
import { isInStore, type Location, mountOf } from '../../mounts/location.ts'
import type { Node } from '../../nodes/node.ts'
import type { Effect } from '../../storage/keeping.ts'
import type { Entry } from '../../storage/port.ts'
import {
  type Beginning,
  causeOf,
  type Done,
  doneOf,
  isTransfer,
  markOf,
  mostEffects,
  mostToldStored,
} from './effects.ts'
import { inParts, type Look } from './look.ts'
import { recoverOperations } from './recover.ts'
import { operationRows, sweepOperations } from './store.ts'

export interface OperationDeps {
  readonly db: Kysely<Database>
  readonly clock: Clock
  readonly node: Pick<Node, 'id' | 'isAlive'>
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
  readonly beginning: Beginning
  readonly told: Done[]
  /** The mount that things come from, where it is another one. */
  readonly source: number | undefined
  isTooMuch: boolean
}

/**
 * Remembers what accounts do, for a day. A row is written before the work and after it, without waiting for the disk: it is
 * there after a crash of the server, and may be missing after a power cut. Where rows cannot be written the change goes on,
 * and cannot be taken back.
 */
export function operationsIn(deps: OperationDeps): RememberedOperations {
  const { db, node, log, changed } = deps
  const rows = operationRows(db)
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

  async function beginningOf(change: Change): Promise<Beginning> {
    if (!isTransfer(change)) return {}
    const [source, target] = await Promise.all([
      change.kind === 'move' ? look(change.from) : undefined,
      look(change.to),
    ])
    const kind = target === undefined ? 'none' : target.kind === 'folder' ? 'folder' : 'other'
    return { source: source?.id, target: kind, targetId: target?.id }
  }

  async function begin(change: Change): Promise<OpenOperation> {
    const at = nextTime()
    const id = Bun.randomUUIDv7('hex', at)
    const { actor } = change
    const keep = { operation: id, user: actor, door: change.door, cause: causeOf(change.kind) }
    // Guests have no list of what they did.
    const isRemembered = actor.id > 0
    const beginning = isRemembered ? await beginningOf(change) : {}
    let isStored = false
    if (isRemembered)
      try {
        const effects = isTransfer(change) ? JSON.stringify(beginning) : ''
        await rows.begin(id, change, { effects, node: node.id, at })
        isStored = true
      } catch (error) {
        log.warn({ err: error, kind: change.kind }, 'What is done now cannot be taken back: it could not be stored')
      }
    if (isStored) open.set(id, { beginning, told: [], source: change.from && mountOf(change.from), isTooMuch: false })
    return { keep, end: (latest, result, entry) => end(id, change, latest, result, entry) }
  }

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
    try {
      const effects = await effectsOf(operation, asked, latest, result, entry)
      if (effects.length === 0) await rows.drop(id)
      else await rows.end(id, latest, textOf(effects, operation.isTooMuch))
    } catch (error) {
      // The row is as of a server that died, and is looked at like one when this one has ended.
      log.warn({ err: error, kind: latest.kind }, 'What was done could not be stored')
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
    const marked = await inParts(told, withMark)
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
          return there?.id !== undefined && there.id === beginning.targetId ? marked : [{ kind: 'lost', at: to }]
        }
        const mark = there && markOf(there)
        if (kind === 'move' && from !== undefined) return [...marked, { kind: 'moved', from, to, ...mark }]
        const was = kind === 'restore' ? from : undefined
        return [...marked, await withContent({ kind: 'made', at: to, was, ...mark })]
      }
    }
  }

  async function withMark(done: Done): Promise<Done> {
    if (done.kind !== 'made' && done.kind !== 'moved') return done
    const there = await look(done.kind === 'made' ? done.at : done.to)
    const mark = there && markOf(there)
    return withContent({ ...done, ...mark })
  }

  async function withContent(done: Done): Promise<Done> {
    if (done.kind !== 'made' || !done.isFolder) return done
    return { ...done, content: await deps.look.contentOf(done.at).catch(() => undefined) }
  }

  function tell(mount: number, id: string, effects: readonly Effect[]): void {
    const operation = open.get(id)
    if (operation === undefined || operation.isTooMuch) return
    for (const effect of effects) {
      const done = doneOf(mount, effect, operation.source ?? mount)
      if (done.kind !== 'emptied' || !isInStore(done.at)) operation.told.push(done)
    }
    if (operation.told.length > mostEffects) {
      operation.told.length = 1
      operation.isTooMuch = true
    }
    // For a crash in the middle of the work; of a long one no more than its beginning is needed to know that it is unclear.
    if (operation.told.length <= mostToldStored)
      void rows.note(id, JSON.stringify({ ...operation.beginning, told: operation.told })).catch(() => {})
  }

  return {
    begin,
    tell,
    async recover() {
      await recoverOperations(deps, rows)
      const oldest = deps.clock.unixSeconds() * 1000 - undoFor
      const before = Bun.randomUUIDv7('hex', Math.max(0, oldest)).slice(0, 14)
      while (await sweepOperations(db, before));
    },
  }
}

/** What was lost cannot come back, and then nothing of the operation does. */
const textOf = (effects: readonly Done[], isTooMuch: boolean): string =>
  isTooMuch || effects.some(({ kind }) => kind === 'lost') ? 'not-kept' : JSON.stringify(effects)
