import { isOver } from '@filestead/contract'
import { keyOf, type Limits } from '../access/limits.ts'
import type { UserContext } from '../access/routes.ts'
import { accepted, json } from '../http/answers.ts'
import type { Jobs } from './jobs.ts'
import type { PlanRequest } from './kind.ts'
import { type JobFacts, shownIn } from './record.ts'

/** In seconds: how long an answer waits for the end of a job, and the most that a client can ask for. */
const usualWait = 1
const longestWait = 20

/** RFC 7240. */
interface Preference {
  readonly respondsAsync: boolean
  /** In milliseconds. */
  readonly wait: number
}

export function preferenceOf({ headers }: Request): Preference {
  const wishes = (headers.get('prefer') ?? '').split(/[,;]/).map((wish) => wish.trim().toLowerCase())
  const [, seconds] =
    wishes.map((wish) => /^wait\s*=\s*"?(\d{1,6})"?$/.exec(wish)).find((found) => found !== null) ?? []
  const wait = seconds === undefined ? usualWait : Math.min(longestWait, Number(seconds))
  return { respondsAsync: wishes.includes('respond-async'), wait: wait * 1000 }
}

/** Without an account there is no list in which a job could be found again, so that the answer waits for its end. */
export async function startOrPerform(
  { jobs, limits }: { jobs: Jobs; limits: Pick<Limits, 'copies'> },
  context: UserContext,
  body: PlanRequest,
): Promise<JobFacts> {
  const { scope, caller, request } = context
  if (caller !== undefined) return jobs.start(scope, body, preferenceOf(request).wait)
  using _place = await limits.copies.enter(keyOf(context), request)
  return await jobs.perform(context.again, body, request.signal)
}

/** 202 while it goes on, with the address where it can be asked for. */
export function answerJob(context: UserContext, job: JobFacts, { baseURL }: { baseURL: string }): Response {
  const shown = shownIn(context.scope.tree, job)
  return isOver(job.state) ? json(shown, context) : accepted(shown, `${baseURL}/api/jobs/${job.id}`)
}
