import type { Kysely, Transaction } from 'kysely'
import type { Clock } from '../clock.ts'
import { DatabaseRefusal, isUnwritable } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import type { Log } from '../log/log.ts'
import type { Node } from '../nodes/node.ts'
import type { Change, Result } from './change.ts'
import { type Follower, inOrder, type Preparation, type StoredIntent, type Write } from './follower.ts'
import { type Commit, groupCommit, UnsyncedCommit } from './group-commit.ts'
import {
  deleteIntent,
  holdIntent,
  idAfterOthers,
  insertIntent,
  notesOf,
  type UnfinishedIntent,
  unfinishedIntents,
} from './store.ts'

/** The intent log: what was begun is known before it happens, and what became of it before it is acknowledged. */
export interface Journal {
  /** Runs the work of a change between its intent and its outcome. Without a follower concerned it only runs it. */
  record<T>(change: Change, work: () => Promise<T>): Promise<T>
  /** Finishes or takes back what dead nodes left. */
  recover(): Promise<void>
  /** Waits for outcomes that are being stored, and tries once more to store those that could not be. */
  close(): Promise<void>
}

interface JournalOptions {
  db: Kysely<Database>
  clock: Clock
  node: Pick<Node, 'id' | 'isAlive'>
  log: Pick<Log, 'warn'>
  followers: readonly Follower[]
  /** Hears of every change when it is over. Must neither wait nor fail. */
  observe?: (change: Change, result: Result) => void
  commit?: Commit
  /** In milliseconds. */
  retryAfter?: number
}

/** A change that has begun, with the followers whose part of the outcome is not stored yet. */
interface OpenChange extends StoredIntent {
  isStored: boolean
  /** The connection was lost before the database said whether it has stored the intent. */
  readonly isUnsure?: boolean
  /** No follower asked for an intent, or waits: the outcome is stored in the background. */
  readonly isBackground: boolean
  preparations: readonly Preparation[]
  result: Result
  /** A follower failed for a reason of its own, so another try is left to the timer. */
  isFailing: boolean
}

const openWith = (
  preparations: readonly Preparation[],
  { isBackground }: Pick<OpenChange, 'isBackground'>,
): OpenChange => ({
  id: Bun.randomUUIDv7(),
  isStored: false,
  isBackground,
  preparations,
  result: 'failed',
  isFailing: false,
})

export function journalIn(options: JournalOptions): Journal {
  const { db, clock, node, log, followers, observe, commit = groupCommit(db), retryAfter = 10_000 } = options
  /** Outcomes that could not be stored. */
  const pending = new Set<OpenChange>()
  const background = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let retrying: Promise<void> | undefined

  async function prepare(change: Change): Promise<Map<string, Preparation>> {
    const prepared = new Map<string, Preparation>()
    try {
      for (const follower of followers) {
        const preparation = follower.kinds.has(change.kind) ? await follower.prepare(change) : undefined
        if (preparation !== undefined) prepared.set(follower.name, preparation)
      }
      return prepared
    } catch (error) {
      await storeOutcome(openWith([...prepared.values()], { isBackground: true }), 'failed')
      throw error
    }
  }

  async function begin(change: Change, prepared: ReadonlyMap<string, Preparation>): Promise<OpenChange> {
    const preparations = [...prepared.values()]
    const recoverable = [...prepared].filter(([, { intent }]) => intent !== 'none')
    const hasIntent = recoverable.length > 0
    const isBackground = !hasIntent && !preparations.some(({ isAwaited }) => isAwaited)
    const unstored = openWith(preparations, { isBackground })
    if (!hasIntent) return unstored
    let { id } = unstored
    const notes = Object.fromEntries(recoverable.map(([name, preparation]) => [name, preparation.notes]))
    try {
      await commit(async (trx) => {
        id = await idAfterOthers(trx)
        await insertIntent(trx, { id, node: node.id, change, notes }, clock.unixSeconds())
        for (const preparation of preparations) await preparation.mark?.(trx, id)
      })
      return { ...unstored, id, isStored: true }
    } catch (error) {
      // The rows are there, and this process lives on: nothing else would ever take them back.
      if (error instanceof UnsyncedCommit) {
        await storeOutcome({ ...unstored, id, isStored: true }, 'failed')
        throw error.cause
      }
      const isUnsure = error instanceof DatabaseRefusal && error.problem === 'away'
      const left = isUnsure ? { ...unstored, id, isStored: true, isUnsure } : unstored
      const isRequired = preparations.some(({ intent }) => intent === 'required')
      if (!isRequired && isUnwritable(error)) {
        log.warn({ err: error, kind: change.kind }, 'A change goes on without its intent, which could not be stored')
        return left
      }
      // Other changes may have left the decision about their rows to this one.
      await storeOutcome(left, 'failed')
      throw error
    }
  }

  async function conclusionsOf(open: OpenChange, parts: readonly Preparation[]): Promise<Write[]> {
    const writes: Write[] = []
    for (const part of parts) {
      const write = await part.conclude(open.result, open)
      if (write !== undefined) writes.push(write)
    }
    return writes
  }

  /** False where the intent is gone: then nothing is written. */
  async function isWritten(writes: readonly Write[], hold: (trx: Transaction<Database>) => Promise<boolean>) {
    let isHeld = false
    await commit(async (trx) => {
      isHeld = await hold(trx)
      if (isHeld) await inOrder(writes)(trx)
    })
    return isHeld
  }

  /**
   * Who ends the intent decides. Where another node did, which took this one for dead, others may have changed the same rows
   * since: what this one has done is not written any more, but what a look at the storage tells.
   */
  async function store(open: OpenChange, parts: readonly Preparation[], hold: typeof deleteIntent): Promise<void> {
    let holds = open.isStored ? hold : undefined
    let left = parts
    let isGone: boolean
    do {
      const writes = await conclusionsOf(open, left)
      const isNeeded = writes.length > 0 || holds === deleteIntent
      isGone = isNeeded && !(await isWritten(writes, async (trx) => holds === undefined || holds(trx, open.id)))
      if (isGone && open.isUnsure) open.isStored = false
      else if (isGone) open.result = 'failed'
      if (isGone || holds === deleteIntent) holds = undefined
      // What is stored is not stored again: other changes may be about the same places by now.
      if (!isGone) left = await outdatedOf(parts)
    } while (isGone || left.length > 0)
    for (const part of parts) part.release?.()
  }

  /** Each follower's part alone, so that one that fails keeps no other from its own. */
  async function storeByParts(open: OpenChange): Promise<void> {
    const failures: unknown[] = []
    for (const part of open.preparations) {
      try {
        await store(open, [part], holdIntent)
        open.preparations = open.preparations.filter((other) => other !== part)
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures.find(isUnwritable) ?? failures[0]
    await store(open, [], deleteIntent)
  }

  function retryLater(): void {
    timer ??= setTimeout(() => void retryPending(() => true), retryAfter).unref()
  }

  function retryPending(isWanted: (open: OpenChange) => boolean): Promise<void> {
    retrying ??= retry([...pending].filter(isWanted)).finally(() => {
      retrying = undefined
      if (pending.size > 0) retryLater()
    })
    return retrying
  }

  async function retry(wanted: readonly OpenChange[]): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    for (const open of wanted) {
      try {
        await storeByParts(open)
        pending.delete(open)
      } catch (error) {
        open.isFailing = !isUnwritable(error)
        // Then none of the others can be stored either.
        if (!open.isFailing) return
      }
    }
  }

  /** Never fails: the change is done, or not, whatever can be stored about it. */
  async function storeOutcome(open: OpenChange, result: Result): Promise<void> {
    open.result = result
    try {
      await store(open, open.preparations, deleteIntent).catch((error) => {
        if (isUnwritable(error) || open.preparations.length < 2) throw error
        return storeByParts(open)
      })
    } catch (error) {
      log.warn({ err: error, result }, 'What became of a change could not be stored; it is tried again')
      open.isFailing = !isUnwritable(error)
      pending.add(open)
      retryLater()
    }
  }

  function finish(open: OpenChange, result: Result): Promise<void> | undefined {
    const storing = storeOutcome(open, result)
    if (!open.isBackground) return storing
    background.add(storing)
    void storing.finally(() => background.delete(storing))
    return undefined
  }

  /**
   * Another node may recover the same change, and later changes may have decided about the same rows since: only the node
   * that deletes the intent writes what its followers have found out.
   */
  async function recoverOne({ id, change, notes }: UnfinishedIntent): Promise<void> {
    const noted = notesOf(notes)
    const writes: Write[] = []
    for (const follower of followers) {
      if (!Object.hasOwn(noted, follower.name)) continue
      const write = await follower.recover(change, noted[follower.name], id)
      if (write !== undefined) writes.push(write)
    }
    await commit(async (trx) => {
      if (await deleteIntent(trx, id)) await inOrder(writes)(trx)
    })
  }

  async function record<T>(change: Change, work: () => Promise<T>): Promise<T> {
    if (!followers.some(({ kinds }) => kinds.has(change.kind))) return work()
    // Followers look at rows that pending outcomes would change.
    if (pending.values().some(isUnwritten)) await retryPending(isUnwritten)
    const prepared = await prepare(change)
    if (prepared.size === 0) return work()
    const open = await begin(change, prepared)
    let result: T
    try {
      result = await work()
    } catch (error) {
      await finish(open, 'failed')
      throw error
    }
    await finish(open, 'done')
    return result
  }

  async function recordObserved<T>(change: Change, work: () => Promise<T>): Promise<T> {
    try {
      const result = await record(change, work)
      observe?.(change, 'done')
      return result
    } catch (error) {
      observe?.(change, 'failed')
      throw error
    }
  }

  return {
    record: observe === undefined ? record : recordObserved,
    async recover() {
      const failures: unknown[] = []
      for (const intent of await unfinishedIntents(db)) {
        if (node.isAlive(intent.node)) continue
        await recoverOne(intent).catch((error) => failures.push(error))
      }
      for (const { sweep } of followers) await sweep?.().catch((error) => failures.push(error))
      // Shares stay shut meanwhile, and a database that cannot be written shows in /health.
      const failure = failures.find((error) => !isUnwritable(error))
      if (failure !== undefined) throw failure
    },
    async close() {
      await Promise.all(background)
      if (pending.size > 0) await retryPending(() => true)
      clearTimeout(timer)
    },
  }
}

async function outdatedOf(parts: readonly Preparation[]): Promise<Preparation[]> {
  const outdated: Preparation[] = []
  for (const part of parts) if (await part.isOutdated?.()) outdated.push(part)
  return outdated
}

/** Nothing could be written when it was tried last; by now it may be possible. */
const isUnwritten = ({ isFailing }: OpenChange): boolean => !isFailing
