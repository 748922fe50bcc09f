import { isOver, type JobChange, type JobState } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
import { deadline } from '../concurrency/deadline.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import { durable } from '../database/port.ts'
import { Failure } from '../failure.ts'
import { changeJob } from './change.ts'
import { Go } from './go.ts'
import type { Kind, PlanRequest } from './kind.ts'
import { choicesIn, clearRunOf, kindOf, recordFor } from './planning.ts'
import { type JobFacts, type JobRecord, parseChoices, recordOf, rowOf } from './record.ts'
import { type RunnerDeps, runnerIn } from './runner.ts'
import { choicesOf, countUnfinished, hasUnfinishedJob, insertJob, jobAskedAs, jobsOf, jobWithId } from './store.ts'
import { sweepOf } from './sweep.ts'

/** Work that goes on after its request, of all accounts. */
export interface Jobs {
  /** Begins one, and waits so many milliseconds for its end. */
  start(scope: Scope, request: PlanRequest, wait: number): Promise<JobFacts>
  /** Does the work without a job that could be found again: for visitors and guests, who have no account. */
  perform(again: () => Promise<Scope>, request: PlanRequest, signal: AbortSignal): Promise<JobFacts>
  /** The newest first; without an account those of all. */
  list(userId: number | undefined): Promise<JobFacts[]>
  /** Jobs of others are not there, but for administrators. */
  find(scope: Scope, id: string): Promise<JobFacts>
  change(scope: Scope, id: string, change: JobChange): Promise<JobFacts>
  /** Cancels one that is not over; one that is is listed no longer. */
  remove(scope: Scope, id: string): Promise<void>
  /** Goes on with what dead nodes left, and forgets what is over for long. */
  recover(): Promise<void>
  /** Ends all goes; other processes, or the next start, go on. */
  close(): Promise<void>
}

/** Of one account: their plans are rows. */
const mostUnfinished = 500
/** In milliseconds. */
const longestClearing = 2000
const betweenLooks = 20
/** Of a list: more than are kept of one account. */
const mostListed = 500
const mostRead = 10
/** Of each job at least one is told. */
const mostConflictsListed = 5000
const noChoices = '{"forAll":"ask","by":{}}'

export function jobsIn(deps: RunnerDeps): Jobs {
  const { db, clock } = deps
  const runner = runnerIn(deps)
  /** Requests with an id of their sender that are being planned. */
  const planning = new Map<string, Promise<JobRecord>>()

  async function begun(scope: Scope, request: PlanRequest, kind: Kind): Promise<JobRecord> {
    const choices = await choicesIn(scope, request)
    const planned = await kind.plan(scope, request)
    return recordFor(scope, request, { planned, choices, createdAt: clock.unixSeconds() })
  }

  async function planned(scope: Scope, request: PlanRequest): Promise<JobRecord> {
    const kind = kindOf(deps.kinds, request.kind)
    if ((await countUnfinished(db, scope.actor.user.id)) >= mostUnfinished)
      throw new Failure('unavailable', 'Too many jobs of this account wait for their turn', { retryAfter: 10 })
    const record = await begun(scope, request, kind)
    return recordOf(await insertJob(db, rowOf(record), request.id))
  }

  /** A request that is sent again, because its answer was lost, begins nothing twice. */
  async function plannedOnce(scope: Scope, request: PlanRequest): Promise<JobRecord> {
    const { id } = request
    if (id === undefined) return planned(scope, request)
    const userId = scope.actor.user.id
    const key = `${userId} ${id}`
    const making =
      planning.get(key) ??
      jobAskedAs(db, userId, id).then((row) => (row === undefined ? planned(scope, request) : recordOf(row)))
    planning.set(key, making)
    return making.finally(() => planning.delete(key))
  }

  async function requireJob(scope: Scope, id: string): Promise<JobRecord> {
    const row = await jobWithId(db, id)
    const { user } = scope.actor
    if (row === undefined || (row.user_id !== user.id && !user.perm.admin))
      throw new Failure('not-found', 'There is no such job')
    return recordOf(row)
  }

  /**
   * One that was cancelled a moment ago is still being cleared up after, which needs its row. Where that takes long, such as
   * on a disk that does not answer, it stays listed.
   */
  async function forgetCleared(record: JobRecord): Promise<void> {
    if (record.node !== null) await runner.look(record.node)
    const until = performance.now() + longestClearing
    for (let row = await jobWithId(db, record.id); row !== undefined; row = await jobWithId(db, record.id)) {
      if (row.node === null && isOver(row.state as JobState)) return runner.forget(recordOf(row))
      if (performance.now() > until) return
      await Bun.sleep(betweenLooks)
    }
  }

  return {
    async start(scope, request, wait) {
      const { id, state } = await plannedOnce(scope, request)
      const { rested, listed } = runner.watch(id)
      try {
        await runner.pump()
        if (state === 'queued' || state === 'running') await deadline(rested, wait, undefined)
      } finally {
        listed()
      }
      const record = await requireJob(scope, id)
      if (record.notes.isUnlisted !== true) runner.tell(record)
      // From here on it is promised to go on, whatever ends.
      if (!isOver(record.state)) await durable(db)
      return runner.facts(record)
    },

    async perform(again, request, signal) {
      const scope = await again()
      const kind = kindOf(deps.kinds, request.kind)
      const record = await begun(scope, request, kind)
      // There is no way to answer a question.
      if (record.choices.forAll === 'ask') record.choices = { ...record.choices, forAll: 'skip' }
      const go = new Go({
        record,
        kind,
        changes: deps.changes,
        scope: again,
        store: async () => true,
        changed: () => {},
        unexpected: (error) => deps.log.error({ err: error }, 'Work of a guest failed'),
        did: () => {},
      })
      const abort = () => go.interrupt('cancelled')
      signal.addEventListener('abort', abort)
      try {
        if (signal.aborted) abort()
        const end = await go.run()
        record.state = typeof end !== 'string' || end === 'stopped' ? 'failed' : (end as JobState)
        if (record.state !== 'done') await kind.clear(clearRunOf(record, again, { isCancelled: true })).catch(() => {})
        if (end instanceof Failure) throw end
        return go.facts()
      } finally {
        signal.removeEventListener('abort', abort)
      }
    },

    async list(userId) {
      const found: JobFacts[] = []
      const pause = timeSlices()
      let room = mostConflictsListed
      // What hundreds of jobs have noted would fill the memory: a few are read at once, and shortened.
      for (let rows = mostRead; rows === mostRead && found.length < mostListed; ) {
        const page = await jobsOf(db, userId, { most: mostRead, before: found.at(-1)?.id })
        rows = page.length
        const records: JobRecord[] = []
        for (const row of page) {
          const record = recordOf({ ...row, choices: noChoices })
          // They tell which conflicts wait no longer.
          const choices = record.notes.conflicts.length > 0 ? await choicesOf(db, record.id) : undefined
          if (choices !== undefined) record.choices = parseChoices(choices)
          records.push(record)
          await pause()
        }
        for (const facts of await runner.factsOfAll(records)) {
          const conflicts = facts.conflicts.slice(0, Math.max(1, room))
          room -= conflicts.length
          found.push({ ...facts, conflicts })
        }
      }
      return found
    },
    find: async (scope, id) => runner.facts(await requireJob(scope, id)),

    async change(scope, id, change) {
      await changeJob(deps, runner, await requireJob(scope, id), scope, change)
      return runner.facts(await requireJob(scope, id))
    },

    async remove(scope, id) {
      const record = await requireJob(scope, id)
      if (isOver(record.state)) await forgetCleared(record)
      else await changeJob(deps, runner, record, scope, { action: 'cancel' })
    },

    recover: sweepOf(deps, runner),
    close: () => runner.close(),
  }
}

/** Is this a job that is not over? */
export const isUnfinishedJob =
  (db: RunnerDeps['db']) =>
  async (id: string): Promise<boolean> => {
    const row = await jobWithId(db, id)
    return row !== undefined && !isOver(row.state as JobState)
  }

/** May what a job has put aside still be needed? */
export const isKnownJob =
  (db: RunnerDeps['db']) =>
  (id: string): Promise<boolean> =>
    hasUnfinishedJob(db, id)
