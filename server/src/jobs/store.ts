import { type JobState, jobStates } from '@filestead/contract'
import type { Kysely, Transaction } from 'kysely'
import { transaction } from '../database/port.ts'
import type { Database, JobPlanRow, JobRow } from '../database/schema.ts'

export type PlannedRow = JobRow & Pick<JobPlanRow, 'plan'>

/** What a go of a job changes about its row, beside its state. */
export type Progress = Pick<
  JobRow,
  'cursor' | 'notes' | 'files_done' | 'bytes_done' | 'files_total' | 'bytes_total' | 'problem' | 'message'
>

/** States in which a row may stand still without an end. */
const unfinished = ['queued', 'running', 'paused', 'asking'] as const satisfies readonly JobState[]
const over = jobStates.filter((state) => !unfinished.some((other) => other === state))

/** Quotes in a text of the notes are escaped, so that this is found nowhere else. */
const unlisted = '%"isUnlisted":true%'

/** Answers with the row that there is: another process may have taken the same request, which was sent twice. */
export const insertJob = (
  db: Kysely<Database>,
  { plan, ...row }: PlannedRow,
  asked: string | undefined,
): Promise<JobRow> =>
  transaction(db, 'serializable', async (trx) => {
    const known = asked === undefined ? undefined : await jobAskedAs(trx, row.user_id, asked)
    if (known !== undefined) return known
    await trx.insertInto('job').values(row).execute()
    await trx.insertInto('job_plan').values({ job: row.id, plan }).execute()
    return row
  })

/** Undefined where the job is gone. */
export async function planOf(db: Kysely<Database>, id: string): Promise<string | undefined> {
  return (await db.selectFrom('job_plan').select('plan').where('job', '=', id).executeTakeFirst())?.plan
}

export const jobWithId = (db: Kysely<Database>, id: string): Promise<JobRow | undefined> =>
  db.selectFrom('job').selectAll().where('id', '=', id).executeTakeFirst()

/** The job that an account has asked for with an id of its own. */
export const jobAskedAs = (db: Kysely<Database>, userId: number, id: string): Promise<JobRow | undefined> =>
  db
    .selectFrom('job')
    .selectAll()
    .where('user_id', '=', userId)
    .where('summary', 'like', `{"asked":"${id}",%`)
    .executeTakeFirst()

/** All but the answers about names, which may be long. */
const listed = [
  ...(['id', 'user_id', 'kind', 'summary', 'state', 'cursor', 'notes', 'node'] as const),
  ...(['files_done', 'bytes_done', 'files_total', 'bytes_total', 'problem', 'message'] as const),
  ...(['created_at', 'started_at', 'ended_at'] as const),
]

/** The newest first, or those before one of them; of one account, or of all. */
export async function jobsOf(
  db: Kysely<Database>,
  userId: number | undefined,
  { most, before }: { most: number; before?: string | undefined },
): Promise<Omit<JobRow, 'choices'>[]> {
  let query = db.selectFrom('job').select(listed).where('notes', 'not like', unlisted).orderBy('id', 'desc').limit(most)
  if (userId !== undefined) query = query.where('user_id', '=', userId)
  if (before !== undefined) query = query.where('id', '<', before)
  return query.execute()
}

/** Undefined where the job is gone. */
export async function choicesOf(db: Kysely<Database>, id: string): Promise<string | undefined> {
  return (await db.selectFrom('job').select('choices').where('id', '=', id).executeTakeFirst())?.choices
}

/** Of those that wait for a process, the oldest first. */
export const waitingJobs = (db: Kysely<Database>): Promise<Pick<JobRow, 'id' | 'user_id' | 'kind'>[]> =>
  db
    .selectFrom('job')
    .select(['id', 'user_id', 'kind'])
    .where('state', '=', 'queued')
    .where('node', 'is', null)
    .orderBy('id')
    .limit(1000)
    .execute()

/** Undefined where another process was first. */
export async function claimJob(
  db: Kysely<Database>,
  id: string,
  node: string,
  startedAt: number,
): Promise<PlannedRow | undefined> {
  const row = await db
    .updateTable('job')
    .set((is) => ({ state: 'running', node, started_at: is.fn.coalesce('started_at', is.val(startedAt)) }))
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .where('node', 'is', null)
    .returningAll()
    .executeTakeFirst()
  const plan = row && (await planOf(db, id))
  return plan === undefined ? undefined : row && { ...row, plan }
}

/** What is wanted of the jobs that a process has. */
export const jobsAt = (db: Kysely<Database>, node: string): Promise<Pick<JobRow, 'id' | 'state' | 'choices'>[]> =>
  db.selectFrom('job').select(['id', 'state', 'choices']).where('node', '=', node).execute()

/** False where the job is no longer this node's, or gone. */
export async function saveProgress(
  db: Kysely<Database>,
  { id, node }: { id: string; node: string },
  progress: Progress,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('job')
    .set(progress)
    .where('id', '=', id)
    .where('node', '=', node)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * The end of a go. One that is done is done, whatever was wanted meanwhile; else one that was cancelled stays so, and this
 * node's, to be cleared up, and one that was paused waits. Answers with the state.
 */
export async function endGo(
  db: Kysely<Database>,
  { id, node }: { id: string; node: string },
  { state, endedAt, progress }: { state: JobState; endedAt: number | null; progress: Progress },
): Promise<JobState | undefined> {
  let ending = db.updateTable('job').where('id', '=', id).where('node', '=', node)
  if (state !== 'done' && state !== 'cancelled') ending = ending.where('state', '!=', 'cancelled')
  const row = await ending
    .set((is) => ({
      ...progress,
      state:
        state === 'queued' ? is.case().when('state', '=', 'paused').then('paused').else(state).end() : is.val(state),
      node: null,
      ended_at: endedAt,
    }))
    .returning('state')
    .executeTakeFirst()
  return row?.state as JobState | undefined
}

/**
 * The end of a go that was interrupted: one that is still wanted waits for the next. One that was cancelled stays this
 * node's, to be cleared up. Answers with the state.
 */
export async function releaseJob(
  db: Kysely<Database>,
  { id, node }: { id: string; node: string },
  progress?: Progress,
): Promise<JobState | undefined> {
  const row = await db
    .updateTable('job')
    .set((is) => ({
      ...progress,
      node: null,
      state: is.case().when('state', '=', 'running').then('queued').else(is.ref('state')).end(),
    }))
    .where('id', '=', id)
    .where('node', '=', node)
    .where('state', '!=', 'cancelled')
    .returning('state')
    .executeTakeFirst()
  return row?.state as JobState | undefined
}

export interface Wish {
  readonly from: readonly JobState[]
  readonly to: JobState
  readonly endedAt?: number | null
  /** For another try: instead of what was noted, and without the problem. */
  readonly notes?: string
  /** Takes a job that no process has, for clearing up after it. */
  readonly node?: string
  /** Only while it is this node's. */
  readonly at?: string
}

/** Says what is wanted of a job. Undefined where it is in none of the states. */
export async function wishJob(
  db: Kysely<Database>,
  id: string,
  { from, to, endedAt, notes, node, at }: Wish,
): Promise<JobRow | undefined> {
  let wish = db.updateTable('job').where('id', '=', id).where('state', 'in', from)
  if (at !== undefined) wish = wish.where('node', '=', at)
  return wish
    .set((is) => ({
      state: to,
      ...(endedAt !== undefined && { ended_at: endedAt }),
      ...(notes !== undefined && { notes, problem: null, message: null }),
      ...(node !== undefined && { node: is.fn.coalesce('node', is.val(node)) }),
    }))
    .returningAll()
    .executeTakeFirst()
}

/** Answers from two devices at once all count. */
export const mergeChoices = (
  db: Kysely<Database>,
  id: string,
  merge: (choices: string) => string,
): Promise<JobRow | undefined> =>
  transaction(db, 'serializable', async (trx) => {
    const row = await jobWithId(trx, id)
    return (
      row &&
      trx
        .updateTable('job')
        .set({ choices: merge(row.choices) })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst()
    )
  })

export async function countUnfinished(db: Kysely<Database>, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('job')
    .select((is) => is.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('state', 'in', unfinished)
    .executeTakeFirstOrThrow()
  return count
}

export async function nodesAtWork(db: Kysely<Database>): Promise<string[]> {
  const rows = await db.selectFrom('job').select('node').distinct().where('node', 'is not', null).execute()
  return rows.map(({ node }) => node ?? '')
}

/** A dead node has no jobs: those that ran wait for another one. Those that were cancelled are left, to be cleared up. */
export async function abandonJobs(db: Kysely<Database>, node: string): Promise<void> {
  await db
    .updateTable('job')
    .set((is) => ({
      node: null,
      state: is.case().when('state', '=', 'running').then('queued').else(is.ref('state')).end(),
    }))
    .where('node', '=', node)
    .where('state', '!=', 'cancelled')
    .execute()
}

export const takeCancelledJobs = (db: Kysely<Database>, from: string, node: string): Promise<JobRow[]> =>
  db.updateTable('job').set({ node }).where('node', '=', from).where('state', '=', 'cancelled').returningAll().execute()

export async function deleteJob(db: Kysely<Database>, id: string): Promise<void> {
  await db.deleteFrom('job').where('id', '=', id).execute()
}

export async function deleteJobsOf(trx: Transaction<Database>, userId: number): Promise<void> {
  await trx.deleteFrom('job').where('user_id', '=', userId).execute()
}

/** Those that are over and that no process clears up after any more. */
export const endedJobs = (db: Kysely<Database>) =>
  db
    .selectFrom('job')
    .select(['id', 'user_id', 'ended_at'])
    .select((is) => is('notes', 'like', unlisted).as('is_unlisted'))
    .where('state', 'in', over)
    .where('node', 'is', null)
    .orderBy('id', 'desc')
    .execute()

export async function ownersOfJobs(db: Kysely<Database>): Promise<number[]> {
  return (await db.selectFrom('job').select('user_id').distinct().execute()).map(({ user_id }) => user_id)
}

export const idsOfJobsOf = async (db: Kysely<Database>, userId: number): Promise<string[]> =>
  (await db.selectFrom('job').select('id').where('user_id', '=', userId).execute()).map(({ id }) => id)

/** May a job still go on with what it has put aside? Not one whose owner lost the rights to it. */
export async function hasUnfinishedJob(db: Kysely<Database>, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('job')
    .select('id')
    .where('id', '=', id)
    .where((is) =>
      is.or([
        is('state', 'in', unfinished),
        is('node', 'is not', null),
        is.and([is('state', '=', 'failed'), is.or([is('problem', 'is', null), is('problem', '!=', 'forbidden')])]),
      ]),
    )
    .executeTakeFirst()
  return row !== undefined
}
