import { Conflicts, ConflictsRequest, Job, JobChange, JobRequest, Yes } from '@filestead/contract'
import { z } from 'zod'
import { requirePermission } from '../access/actor.ts'
import { keyOf, type Limits } from '../access/limits.ts'
import { type Route, route } from '../access/routes.ts'
import { done, json } from '../http/answers.ts'
import { returnsJson, returnsNothing } from '../http/returns.ts'
import { answerJob, startOrPerform } from './answer-job.ts'
import { findConflicts } from './conflicts.ts'
import type { Jobs } from './jobs.ts'
import { shownIn } from './record.ts'

export interface JobRouteOptions {
  readonly jobs: Jobs
  readonly baseURL: string
  readonly limits: Pick<Limits, 'searches' | 'copies'>
  /** Names of accounts by their ids, for administrators. */
  usernames(): Promise<ReadonlyMap<number, string>>
}

const oneJob = { path: '/api/jobs/:id' } as const

/** In bytes: ten thousand entries with long paths. */
const largestPlan = 8 << 20

export const jobRoutes = ({ jobs, baseURL, limits, usernames }: JobRouteOptions): Route[] => [
  route({
    method: 'POST',
    path: '/api/jobs',
    access: [],
    guests: true,
    summary: 'Copy, move, delete, compress, extract or compute checksums, however long it takes.',
    details:
      'Waits up to a second for the end (`Prefer: wait=N` for another time, 20 at most); then 202 with the job, which goes on by itself. Needs the permissions that the same work needs elsewhere. For guests it is done within the request.',
    body: JobRequest,
    largestJson: largestPlan,
    returns: returnsJson(Job, 'The job, which is over', { 202: 'The job, which goes on' }),
    sample: { body: { kind: 'delete', items: ['/kept.txt'] } },
    answer: async (context) =>
      answerJob(context, await startOrPerform({ jobs, limits }, context, await context.body()), { baseURL }),
  }),
  route({
    method: 'GET',
    path: '/api/jobs',
    access: [],
    summary: 'The jobs of the caller, the newest first.',
    details: 'Those that are over are listed for seven days, a hundred at most.',
    query: z.object({ all: Yes('of all accounts, for administrators') }),
    returns: returnsJson(z.array(Job), 'A list of jobs'),
    sample: {},
    async answer(context) {
      const { scope, caller, query } = context
      if (!query.all)
        return json(
          (await jobs.list(caller.user.id)).map((job) => shownIn(scope.tree, job)),
          context,
        )
      requirePermission(scope.actor, 'admin')
      const [found, names] = [await jobs.list(undefined), await usernames()]
      const owner = (id: number) => (id === caller.user.id ? undefined : { id, name: names.get(id) ?? '' })
      return json(
        found.map((job) => shownIn(scope.tree, job, owner(job.userId))),
        context,
      )
    },
  }),
  route({
    ...oneJob,
    method: 'GET',
    access: [],
    summary: 'One job.',
    returns: returnsJson(Job, 'The job'),
    sample: ({ jobId }) => ({ params: { id: jobId } }),
    async answer(context) {
      const { scope, match } = context
      return json(shownIn(scope.tree, await jobs.find(scope, match.params.id ?? '')), context)
    },
  }),
  route({
    ...oneJob,
    method: 'PATCH',
    access: [],
    summary: 'Pause, resume, cancel or retry a job, or tell what shall happen to names that are taken.',
    body: JobChange,
    returns: returnsJson(Job, 'The job'),
    sample: ({ jobId }) => ({ params: { id: jobId }, body: { action: 'pause' as const } }),
    async answer(context) {
      const { scope, match } = context
      const change = await context.body()
      return json(shownIn(scope.tree, await jobs.change(scope, match.params.id ?? '', change)), context)
    },
  }),
  route({
    ...oneJob,
    method: 'DELETE',
    access: [],
    summary: 'Cancel a job, or take one that is over off the list.',
    returns: returnsNothing(),
    sample: ({ jobId }) => ({ params: { id: jobId } }),
    async answer({ scope, match }) {
      await jobs.remove(scope, match.params.id ?? '')
      return done(204)
    },
  }),
  route({
    method: 'POST',
    path: '/api/conflicts',
    access: [],
    guests: true,
    summary: 'Which names are taken where entries shall be copied or moved to, those of files below folders included.',
    details: 'Only what the caller sees. Files that are there already, with the same size and time, are counted alone.',
    body: ConflictsRequest,
    largestJson: largestPlan,
    returns: returnsJson(Conflicts, 'The names'),
    sample: { body: { items: [{ from: '/kept.txt', to: '/box/kept.txt' }] } },
    async answer(context) {
      const { items } = await context.body()
      using _place = await limits.searches.enter(keyOf(context), context.request)
      return json(await findConflicts(context.scope, items, context.request.signal), context)
    },
  }),
]
