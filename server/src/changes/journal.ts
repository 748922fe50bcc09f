import type { Kysely } from 'kysely'
import type { Clock } from '../clock.ts'
import { isUnwritable } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import type { Log } from '../log/log.ts'
import type { Node } from '../nodes/node.ts'
import type { Change, Result } from './change.ts'
import type { Follower, Preparation, StoredIntent, Write } from './follower.ts'
import { type Commit, groupCommit } from './group-commit.ts'
import { deleteIntent, type Intent, insertIntent, unfinishedIntents } from './store.ts'

/** The intent log: what was begun is known before it happens, and what became of it before it is acknowledged. */
export interface Journal {
  /** Runs the work of a change between its intent and its outcome. Without a follower concerned it only runs it. */
  around<T>(change: Change, work: () => Promise<T>): Promise<T>
  /** Finishes or takes back what dead nodes left. */
  recover(): Promise<void>
  /** Waits for what is being stored, and tries once more to store what could not be. */
  close(): Promise<void>
}

interface JournalOptions {
  db: Kysely<Database>
  clock: Clock
  node: Pick<Node, 'id' | 'isAlive'>
  log: Pick<Log, 'warn'>
  followers: readonly Follower[]
  commit?: Commit
  /** In milliseconds. */
  retryAfter?: number
}

/** A change that has begun, with the followers whose part of the outcome is not stored yet. */
interface Begun extends StoredIntent {
  /** No follower asked for an intent: the outcome is stored beside the answer. */
  readonly isBeside: boolean
  preparations: readonly Preparation[]
  result: Result
}

export function journalIn(options: JournalOptions): Journal {
  const { db, clock, node, log, followers, commit = groupCommit(db), retryAfter = 10_000 } = options
  const unsettled = new Set<Begun>()
  const beside = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let settling: Promise<void> | undefined

  async function prepare(change: Change): Promise<Map<string, Preparation>> {
    const prepared = new Map<string, Preparation>()
    try {
      for (const follower of followers) {
        const preparation = follower.kinds.has(change.kind) ? await follower.prepare(change) : undefined
        if (preparation !== undefined) prepared.set(follower.name, preparation)
      }
      return prepared
    } catch (error) {
      for (const { cancel } of prepared.values()) cancel?.()
      throw error
    }
  }

  async function begin(change: Change, prepared: ReadonlyMap<string, Preparation>): Promise<Begun> {
    const id = Bun.randomUUIDv7()
    const preparations = [...prepared.values()]
    const recoverable = [...prepared].filter(([, { intent }]) => intent !== 'none')
    const isBeside = recoverable.length === 0
    const unstored: Begun = { id, isStored: false, isBeside, preparations, result: 'failed' }
    if (isBeside) return unstored
    const notes = Object.fromEntries(recoverable.map(([name, preparation]) => [name, preparation.notes]))
    try {
      await commit(async (trx) => {
        await insertIntent(trx, { id, node: node.id, change, notes }, clock.unixSeconds())
        for (const preparation of preparations) await preparation.mark?.(trx, id)
      })
      return { ...unstored, isStored: true }
    } catch (error) {
      const isRequired = preparations.some(({ intent }) => intent === 'required')
      if (!isRequired && isUnwritable(error)) {
        log.warn({ err: error, kind: change.kind }, 'A change goes on without its intent, which could not be stored')
        return unstored
      }
      for (const preparation of preparations) preparation.cancel?.()
      throw error
    }
  }

  async function store(begun: Begun, parts: readonly Preparation[], last: readonly Write[]): Promise<void> {
    do {
      const writes: Write[] = []
      for (const part of parts) {
        const write = await part.conclude(begun.result, begun)
        if (write !== undefined) writes.push(write)
      }
      if (writes.length + last.length > 0) await commit(inOrder([...writes, ...last]))
    } while (parts.some((part) => part.isOutdated?.()))
    for (const part of parts) part.release?.()
  }

  const endOf = ({ id, isStored }: Begun): Write[] => (isStored ? [(trx) => deleteIntent(trx, id)] : [])

  /** Each follower's part alone, so that one that fails keeps no other from its own. */
  async function storeByParts(begun: Begun): Promise<void> {
    const failures: unknown[] = []
    for (const part of begun.preparations) {
      try {
        await store(begun, [part], [])
        begun.preparations = begun.preparations.filter((other) => other !== part)
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
    await store(begun, [], endOf(begun))
  }

  function settleWaiting(): Promise<void> {
    settling ??= tryAll().finally(() => {
      settling = undefined
      if (unsettled.size > 0) timer ??= setTimeout(() => void settleWaiting(), retryAfter).unref()
    })
    return settling
  }

  async function tryAll(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    for (const begun of [...unsettled]) {
      try {
        await storeByParts(begun)
        unsettled.delete(begun)
      } catch (error) {
        // Then none of the others can be stored either.
        if (isUnwritable(error)) return
      }
    }
  }

  async function end(begun: Begun, result: Result): Promise<void> {
    begun.result = result
    try {
      await store(begun, begun.preparations, endOf(begun))
    } catch (error) {
      log.warn({ err: error, result }, 'What became of a change could not be stored; it is tried again')
      unsettled.add(begun)
      timer ??= setTimeout(() => void settleWaiting(), retryAfter).unref()
    }
  }

  function settled(begun: Begun, result: Result): Promise<void> | undefined {
    const ending = end(begun, result)
    if (!begun.isBeside) return ending
    beside.add(ending)
    void ending.finally(() => beside.delete(ending))
    return undefined
  }

  async function recoverOne({ id, change, notes }: Intent): Promise<void> {
    const writes: Write[] = []
    for (const follower of followers) {
      if (!Object.hasOwn(notes, follower.name)) continue
      const write = await follower.recover(change, notes[follower.name])
      if (write !== undefined) writes.push(write)
    }
    await commit(inOrder([...writes, (trx) => deleteIntent(trx, id)]))
  }

  return {
    async around(change, work) {
      if (!followers.some(({ kinds }) => kinds.has(change.kind))) return work()
      // Followers look at rows that what still waits would change.
      if (unsettled.size > 0) await settleWaiting()
      const prepared = await prepare(change)
      if (prepared.size === 0) return work()
      const begun = await begin(change, prepared)
      try {
        const result = await work()
        await settled(begun, 'done')
        return result
      } catch (error) {
        await settled(begun, 'failed')
        throw error
      }
    },
    async recover() {
      const failures: unknown[] = []
      for (const intent of await unfinishedIntents(db)) {
        if (node.isAlive(intent.node)) continue
        await recoverOne(intent).catch((error) => failures.push(error))
      }
      for (const { sweep } of followers) await sweep?.().catch((error) => failures.push(error))
      // Nothing is shown meanwhile, and a database that cannot be written is told of elsewhere.
      const failure = failures.find((error) => !isUnwritable(error))
      if (failure !== undefined) throw failure
    },
    async close() {
      await Promise.all(beside)
      if (unsettled.size > 0) await settleWaiting()
      clearTimeout(timer)
    },
  }
}

const inOrder =
  (writes: readonly Write[]): Write =>
  async (trx) => {
    for (const write of writes) await write(trx)
  }
