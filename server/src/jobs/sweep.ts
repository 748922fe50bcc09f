import { isFailure } from '../failure.ts'
import { recordOf } from './record.ts'
import type { Runner, RunnerDeps } from './runner.ts'
import {
  abandonJobs,
  deleteJob,
  endedJobs,
  idsOfJobsOf,
  jobWithId,
  nodesAtWork,
  ownersOfJobs,
  takeCancelledJobs,
} from './store.ts'

/** In seconds: how long a job that is over is listed. */
const longestKept = 7 * 86_400
/** Of one account. */
const mostKept = 100
/** In seconds: how long a job is known that was over when its request was answered. */
const unlistedKept = 600

/** Goes on with jobs of dead nodes, and forgets those that are over for long or whose owner is gone. */
export const sweepOf =
  (deps: RunnerDeps, runner: Runner): (() => Promise<void>) =>
  async () => {
    await takeOver(deps, runner)
    await forgetOwnerless(deps)
    await forgetOld(deps, runner)
  }

async function takeOver({ db, node }: RunnerDeps, runner: Runner): Promise<void> {
  const dead = (await nodesAtWork(db)).filter((other) => !node.isAlive(other))
  for (const other of dead) await abandonJobs(db, other)
  const unheld = await runner.unheld()
  for (const { id } of unheld) await runner.letGo(id)
  // First, because clearing up may wait for a disk that does not answer.
  await runner.pump()
  for (const other of dead)
    for (const row of await takeCancelledJobs(db, other, node.id)) await runner.clearCancelled(recordOf(row))
  for (const record of unheld) if (record.state === 'cancelled') await runner.clearCancelled(record)
}

async function forgetOwnerless({ db, scopeOf }: RunnerDeps): Promise<void> {
  for (const userId of await ownersOfJobs(db)) {
    const isGone = await scopeOf(userId).then(
      () => false,
      (error) => isFailure(error, 'unauthenticated'),
    )
    if (isGone) for (const id of await idsOfJobsOf(db, userId)) await deleteJob(db, id)
  }
}

async function forgetOld({ db, clock }: RunnerDeps, runner: Runner): Promise<void> {
  const now = clock.unixSeconds()
  const kept = new Map<number, number>()
  for (const { id, user_id, ended_at, is_unlisted } of await endedJobs(db)) {
    const count = is_unlisted ? 0 : (kept.get(user_id) ?? 0) + 1
    if (!is_unlisted) kept.set(user_id, count)
    const age = now - (ended_at ?? 0)
    if (age <= (is_unlisted ? unlistedKept : longestKept) && count <= mostKept) continue
    const row = await jobWithId(db, id)
    if (row !== undefined) await runner.forget(recordOf(row))
  }
}
