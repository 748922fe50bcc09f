import { destinationHeader, encodePath, failureCodes, isOver, type OnConflict } from '@filestead/contract'
import type { UserContext } from '../access/routes.ts'
import { batchOf } from '../changes/batch.ts'
import { Failure } from '../failure.ts'
import { done } from '../http/answers.ts'
import { answerJob, preferenceOf } from '../jobs/answer-job.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { PlanRequest } from '../jobs/kind.ts'
import { type JobFacts, shownIn } from '../jobs/record.ts'
import type { VirtualPath } from '../storage/path.ts'

interface Options {
  readonly jobs: Jobs
  readonly baseURL: string
}

/** A copy or move that may become a job. One that is over in time is answered as if it were none. */
export function answerTransfer(
  context: UserContext,
  options: Options,
  { kind, to, onConflict }: { kind: 'copy' | 'move'; to: VirtualPath; onConflict: OnConflict },
): Promise<Response> {
  const items = [{ from: context.path, to }]
  const request = { kind, items, onConflict: choices[onConflict], failsOnConflict: true } as const
  return answerChange(context, options, request, (job) => {
    const [renamed] = shownIn(context.scope.tree, job).renamed
    const place = renamed?.to ?? to
    context.note({ to: place })
    return done(200, { [destinationHeader]: encodePath(place) })
  })
}

/** The same for a removal. */
export const answerRemoval = (
  context: UserContext,
  options: Options,
  { forGood }: { forGood: boolean },
): Promise<Response> =>
  answerChange(context, options, { kind: 'delete', items: [context.path], forGood, failsOnConflict: true }, () =>
    done(204),
  )

const choices = { fail: 'ask', overwrite: 'replace', rename: 'keep-both' } as const

async function answerChange(
  context: UserContext,
  { jobs, baseURL }: Options,
  request: PlanRequest,
  answer: (job: JobFacts) => Response,
): Promise<Response> {
  const wanted = { ...request, batch: batchOf(context) }
  const job = await jobs.start(context.scope, wanted, preferenceOf(context.request).wait)
  if (!isOver(job.state)) return answerJob(context, job, { baseURL })
  if (job.state === 'done') return answer(job)
  // The answer tells it, and there is nothing else to come back to.
  await jobs.remove(context.scope, job.id)
  throw failureOf(job)
}

function failureOf({ problem }: JobFacts): Failure {
  if (problem === undefined) return new Failure('changed-meanwhile', 'The job was cancelled')
  const code = failureCodes.find((known) => known === problem.code) ?? 'internal'
  return new Failure(code, problem.message)
}
