import { isOver, type JobState } from '@filestead/contract'
import type { Kysely } from 'kysely'
import type { Scope } from '../access/scope.ts'
import type { Changes } from '../changes/pipeline.ts'
import type { Clock } from '../clock.ts'
import { coalesce } from '../concurrency/coalesce.ts'
import { deadline } from '../concurrency/deadline.ts'
import { isUnwritable } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import type { Log } from '../log/log.ts'
import type { Node } from '../nodes/node.ts'
import type { Siblings } from '../nodes/siblings.ts'
import { Go, type Interruption } from './go.ts'
import { hasPlace } from './places.ts'
import { clearRunOf, type Kinds, kindOf } from './planning.ts'
import {
  factsOf,
  type JobFacts,
  type JobNews,
  type JobRecord,
  parkedItems,
  parseChoices,
  progressOf,
  recordOf,
} from './record.ts'
import {
  claimJob,
  deleteJob,
  endGo,
  jobsAt,
  jobWithId,
  type PlannedRow,
  planOf,
  releaseJob,
  saveProgress,
  waitingJobs,
  wishJob,
} from './store.ts'

export interface RunnerDeps {
  readonly db: Kysely<Database>
  readonly clock: Clock
  readonly node: Pick<Node, 'id' | 'isAlive' | 'isSure'>
  readonly siblings: Siblings
  readonly log: Pick<Log, 'info' | 'error' | 'warn'>
  readonly changes: Changes
  readonly kinds: Kinds
  /** What the account sees now. Fails as unauthenticated where it is gone. */
  readonly scopeOf: (userId: number) => Promise<Scope>
  readonly tell: (news: JobNews) => void
}

/** The jobs that this process works on. */
export interface Runner {
  /** Begins what waits, as far as there are places. */
  pump(): Promise<void>
  /** A job whose request still waits for its end: no other client is told of it until `listed`. */
  watch(id: string): Watch
  isAtWork(id: string): boolean
  /** Jobs that name this process in their rows, though it does not have them: the answer to what it wrote was lost. */
  unheld(): Promise<JobRecord[]>
  letGo(id: string): Promise<void>
  /** Looks at once what is wanted of the jobs that run, here or in the process that has this one. */
  look(node: string | null): Promise<void>
  facts(record: JobRecord): Promise<JobFacts>
  factsOfAll(records: readonly JobRecord[]): Promise<JobFacts[]>
  /** Drops what a cancelled job, which this process has taken, has put aside. */
  clearCancelled(record: JobRecord): Promise<void>
  /** A job that is over is listed no longer. */
  forget(record: JobRecord): Promise<void>
  tell(record: JobRecord): void
  close(): Promise<void>
}

interface Watch {
  /** Nothing more is to be expected of it for now. */
  readonly rested: Promise<void>
  listed(): void
}

interface Watchers {
  readonly rested: PromiseWithResolvers<void>
  count: number
  /** Nothing is told of a job that may be over in a moment. */
  isQuiet: boolean
}

/** In milliseconds. */
const lookEvery = 1000
const retryAfter = 1000
const longestQuiet = 1000
const longestStop = 10_000

const [topicLook, topicFacts] = ['job-look', 'job-facts']

export function runnerIn(deps: RunnerDeps): Runner {
  const { db, clock, node, siblings, log, kinds } = deps
  const goes = new Map<string, Go>()
  const working = new Map<string, Promise<void>>()
  const watched = new Map<string, Watchers>()
  /** Those that name this process in their rows, as far as it knows: from before the claim until the row is let go of. */
  const held = new Set<string>()
  /** As they stand in the row: they may be long, and are the same most of the time. */
  const seenChoices = new WeakMap<Go, string>()
  let timer: NodeJS.Timeout | undefined
  let pumping: NodeJS.Timeout | undefined
  let isClosing = false

  const at = (id: string) => ({ id, node: node.id })

  function tell(record: JobRecord): void {
    if (watched.get(record.id)?.isQuiet || record.notes.isUnlisted) return
    const job = goes.get(record.id)?.facts() ?? factsOf(record)
    deps.tell({ id: record.id, userId: record.userId, job })
  }

  const pump = coalesce(async () => {
    if (isClosing) return
    if (!node.isSure()) {
      pumping ??= setTimeout(() => {
        pumping = undefined
        void pump().catch(() => {})
      }, retryAfter).unref()
      return
    }
    for (const { id, user_id, kind } of await waitingJobs(db)) {
      if (isClosing) return
      const wanting = recordLike(user_id, kind)
      if (
        kinds[wanting.kind] === undefined ||
        !hasPlace(
          [...goes.values()].map(({ record, isStalled }) => ({ ...recordLike(record.userId, record.kind), isStalled })),
          wanting,
        )
      )
        continue
      if (!held.has(id)) await claim(id)
    }
  })

  async function claim(id: string): Promise<void> {
    held.add(id)
    let row: PlannedRow | undefined
    try {
      row = await claimJob(db, id, node.id, clock.unixSeconds())
    } finally {
      if (row === undefined) held.delete(id)
    }
    if (row !== undefined) launch(row)
  }

  async function holding<T>(id: string, work: () => Promise<T>): Promise<T> {
    held.add(id)
    try {
      return await work()
    } finally {
      held.delete(id)
    }
  }

  function launch(row: PlannedRow): void {
    const record = recordOf(row)
    const go = new Go({
      record,
      kind: kindOf(kinds, record.kind),
      changes: deps.changes,
      scope: () => deps.scopeOf(record.userId),
      store: () => saveProgress(db, at(record.id), progressOf(record)),
      isSure: node.isSure,
      changed: () => tell(record),
      unexpected: (error) => log.error({ err: error, job: record.id }, 'A job failed'),
      did: ({ actor: { user } }, facts) =>
        log.info({ event: record.kind, door: 'web', user: user.username, userId: user.id, ...facts, job: record.id }),
    })
    goes.set(record.id, go)
    timer ??= setInterval(() => void lookHere(), lookEvery)
    tell(record)
    const work = go
      .run()
      .then((end) => conclude(go, end))
      .catch((error) => log.error({ err: error, job: record.id }, 'A job could not be ended'))
      .finally(() => {
        goes.delete(record.id)
        working.delete(record.id)
        held.delete(record.id)
        if (goes.size === 0) {
          clearInterval(timer)
          timer = undefined
        }
        watched.get(record.id)?.rested.resolve()
        void pump().catch(() => {})
      })
    working.set(record.id, work)
  }

  async function conclude(go: Go, end: JobState | Interruption): Promise<void> {
    const { record } = go
    if (end === 'lost') return
    if (end === 'paused' || end === 'stopped') {
      const state = await persistently(() => releaseJob(db, at(record.id), progressOf(record)))
      record.state = state ?? record.state
    } else {
      // Of one that has failed at once little is lost, and its request tells: no client asks for it again.
      const hasFailedAtOnce = end === 'failed' && watched.get(record.id)?.isQuiet
      if (end === 'cancelled' || end instanceof Failure || hasFailedAtOnce)
        await clear(record, { isCancelled: end === 'cancelled' })
      await finish(record, end instanceof Failure ? 'failed' : end)
    }
    goes.delete(record.id)
    if (end !== 'done' && end !== 'cancelled' && (await isCancelledHere(record.id))) {
      await clear(record, { isCancelled: true })
      await finish(record, 'cancelled')
    }
    tell(record)
  }

  /** Cancelled when the go was about to end for another reason. */
  async function isCancelledHere(id: string): Promise<boolean> {
    const row = await jobWithId(db, id)
    return row?.state === 'cancelled' && row.node === node.id
  }

  async function finish(record: JobRecord, state: JobState): Promise<void> {
    record.state = state
    record.endedAt = isOver(state) ? clock.unixSeconds() : null
    // Its request answers: there is nothing to look after.
    if (state === 'done' && watched.get(record.id)?.isQuiet) record.notes.isUnlisted = true
    const ended = { state, endedAt: record.endedAt, progress: progressOf(record) }
    record.state = (await persistently(() => endGo(db, at(record.id), ended))) ?? record.state
    if (state !== 'asking') return
    // An answer may have come in the last moment.
    const row = await jobWithId(db, record.id)
    if (row !== undefined && parkedItems(record.notes, parseChoices(row.choices)).answered.size > 0)
      await wishJob(db, record.id, { from: ['asking'], to: 'queued' })
  }

  /** The row has to tell what became of the job, or it would be done again. */
  async function persistently<T>(write: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await write()
      } catch (error) {
        if (!isUnwritable(error) || isClosing) throw error
      }
      await Bun.sleep(retryAfter)
    }
  }

  async function clear(record: JobRecord, why: { isCancelled: boolean }): Promise<void> {
    try {
      const plan = record.planned.plan ?? JSON.parse((await planOf(db, record.id)) ?? 'null')
      const planned = { ...record, planned: { ...record.planned, plan } }
      await kindOf(kinds, record.kind).clear(clearRunOf(planned, () => deps.scopeOf(record.userId), why))
    } catch (error) {
      // Without the right to it, what was put aside is removed as drafts of no known work are.
      if (!(error instanceof Failure)) log.warn({ err: error, job: record.id }, 'A job could not be cleared up')
    }
  }

  async function lookHere(): Promise<void> {
    const mine = [...goes.values()]
    if (!node.isSure()) for (const go of mine) go.interrupt('stopped')
    const rows = await jobsAt(db, node.id).catch(() => undefined)
    if (rows === undefined) return
    const byId = new Map(rows.map((row) => [row.id, row]))
    for (const go of mine) {
      const row = byId.get(go.id)
      if (!goes.has(go.id)) continue
      if (row === undefined) go.interrupt('lost')
      else if (row.state === 'paused' || row.state === 'cancelled') go.interrupt(row.state)
      else {
        // Paused and resumed between two looks.
        if (row.state === 'queued' && !go.signal.aborted)
          await wishJob(db, go.id, { from: ['queued'], to: 'running', at: node.id }).catch(() => {})
        if (seenChoices.get(go) !== row.choices) go.record.choices = parseChoices(row.choices)
        seenChoices.set(go, row.choices)
        void go.look()
      }
    }
    // Others need not wait for a disk that does not answer.
    if (mine.some(({ isStalled }) => isStalled)) void pump().catch(() => {})
  }

  siblings.answer(topicLook, () => {
    void lookHere()
  })
  siblings.answer(topicFacts, (ids) =>
    Array.isArray(ids) ? ids.flatMap((id) => goes.get(String(id))?.facts() ?? []) : undefined,
  )

  async function factsOfAll(records: readonly JobRecord[]): Promise<JobFacts[]> {
    const elsewhere = records.filter(({ id, state, node: at }) => state === 'running' && at !== null && !goes.has(id))
    const byNode = Map.groupBy(elsewhere, (record) => record.node ?? '')
    const asking = [...byNode].map(([at, those]) =>
      siblings.ask(
        topicFacts,
        those.map(({ id }) => id),
        at,
      ),
    )
    const answers = (await Promise.all(asking)).flat()
    const live = new Map((answers.flat() as JobFacts[]).map((facts) => [facts.id, facts]))
    return records.map((record) => {
      const go = goes.get(record.id)
      // Its row says what is wanted of it.
      const facts = go?.facts() ?? live.get(record.id) ?? factsOf(record)
      return facts.state === record.state ? facts : { ...facts, state: record.state }
    })
  }

  return {
    pump,
    watch(id) {
      const watchers = watched.get(id) ?? { rested: Promise.withResolvers<void>(), count: 0, isQuiet: true }
      watched.set(id, watchers)
      watchers.count += 1
      const speaking = setTimeout(() => {
        watchers.isQuiet = false
        const go = goes.get(id)
        if (go !== undefined) tell(go.record)
      }, longestQuiet)
      const listed = () => {
        clearTimeout(speaking)
        watchers.count -= 1
        if (watchers.count === 0) watched.delete(id)
      }
      return { rested: watchers.rested.promise, listed }
    },
    isAtWork: (id) => goes.has(id),
    async unheld() {
      const rows = (await jobsAt(db, node.id)).filter(({ id }) => !held.has(id))
      const found = await Promise.all(rows.map(({ id }) => jobWithId(db, id)))
      return found.flatMap((row) => (row === undefined ? [] : [recordOf(row)]))
    },
    async letGo(id) {
      // Another request may have had it claimed since.
      if (!held.has(id)) await holding(id, () => releaseJob(db, at(id)))
    },
    async look(owner) {
      if (owner === node.id) await lookHere()
      else if (owner !== null) await siblings.ask(topicLook, null, owner)
    },
    facts: async (record) => (await factsOfAll([record]))[0] ?? factsOf(record),
    factsOfAll,
    tell,
    async clearCancelled(record) {
      await holding(record.id, async () => {
        await clear(record, { isCancelled: true })
        await finish(record, 'cancelled')
      })
      tell(record)
    },
    async forget(record) {
      await holding(record.id, async () => {
        if (record.state === 'failed') {
          const row = await wishJob(db, record.id, { from: ['failed'], to: 'cancelled', node: node.id })
          if (row?.node === node.id) await clear(record, { isCancelled: false })
        }
        await deleteJob(db, record.id)
      })
      if (!record.notes.isUnlisted) deps.tell({ id: record.id, userId: record.userId })
    },
    async close() {
      isClosing = true
      clearInterval(timer)
      clearTimeout(pumping)
      for (const go of goes.values()) go.interrupt('stopped')
      // One that waits for a disk that does not answer is taken over when this process has ended.
      await deadline(Promise.all(working.values()), longestStop, undefined)
    },
  }
}

const recordLike = (userId: number, kind: string) => ({ userId, kind: kind as JobRecord['kind'] })
