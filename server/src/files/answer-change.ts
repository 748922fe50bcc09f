import { destinationHeader, encodePath, failureCodes, isOver, type OnConflict } from '@filestead/contract'
import type { UserContext } from '../access/routes.ts'
import { batchOf } from '../changes/batch.ts'
import { Failure } from '../failure.ts'
import { done } from '../http/answers.ts'
import { answerJob, preferenceOf } from '../jobs/answer-job.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { PlanRequest } from '../jobs/kind.ts'
import { type JobFacts, shownIn } from '../jobs/record.ts'
import type { Location } from '../mounts/location.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { TransferKind } from '../storage/transfer-options.ts'

interface Options {
  readonly jobs: Jobs
  readonly baseURL: string
  /** Does what is done here go file by file, over the network? */
  isSlow(location: Location): boolean
}

/** In milliseconds: so long a client that asked for no job waits, which is shorter than proxies are patient. */
const longestUnasked = 25_000

/**
 * Shall it be a job, and how long does the answer wait for its end? Undefined for none: without an account there is no list
 * in which a job could be found again.
 */
export function waitForJob(
  context: UserContext,
  { isSlow }: Pick<Options, 'isSlow'>,
  paths: readonly VirtualPath[],
): number | undefined {
  const { caller, request, scope } = context
  if (caller === undefined) return undefined
  const { respondsAsync, wait } = preferenceOf(request)
  if (respondsAsync) return wait
  const locations = paths.flatMap((path) => scope.tree.locate(path) ?? [])
  return locations.some(isSlow) ? longestUnasked : undefined
}

/** A copy or move that may become a job. One that is over in time is answered as if it were none. */
export function answerTransfer(
  context: UserContext,
  options: Options,
  { kind, to, onConflict, wait }: { kind: TransferKind; to: VirtualPath; onConflict: OnConflict; wait: number },
): Promise<Response> {
  const items = [{ from: context.path, to }]
  const request = { kind, items, onConflict: choices[onConflict], failsOnConflict: true } as const
  return answerChange(context, options, request, wait, (job) => {
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
  { forGood, wait }: { forGood: boolean; wait: number },
): Promise<Response> =>
  answerChange(context, options, { kind: 'delete', items: [context.path], forGood, failsOnConflict: true }, wait, () =>
    done(204),
  )

const choices = { fail: 'ask', overwrite: 'replace', rename: 'keep-both' } as const

async function answerChange(
  context: UserContext,
  { jobs, baseURL }: Options,
  request: PlanRequest,
  wait: number,
  answer: (job: JobFacts) => Response,
): Promise<Response> {
  const wanted = { ...request, batch: batchOf(context) }
  const job = await jobs.start(context.scope, wanted, wait)
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
