import { Grant, GrantChange, GrantRequest, Subject, Why, Yes } from '@filestead/contract'
import { z } from 'zod'
import { type Route, route } from '../access/routes.ts'
import { Failure } from '../failure.ts'
import { created, done, json } from '../http/answers.ts'
import type { LogFacts, RequestContext } from '../http/request.ts'
import { returnsCreated, returnsJson, returnsNothing } from '../http/returns.ts'
import { firstMount, locationIn } from '../mounts/location.ts'
import { parsePath } from '../storage/path.ts'
import { type WhyDeps, whyFor } from './explanation.ts'
import { changeGrant, type GrantDeps, listGrants, removeGrant, saveGrant } from './grants.ts'

const oneGrant = '/api/grants/:id{[0-9]+}'

const GrantsQuery = z.object({
  subject: Subject.optional().describe('only those of this user or group'),
  mount: z.coerce
    .number()
    .int()
    .positive()
    .optional()
    .describe('only those in this mount; 1 where only a folder is named'),
  folder: z.string().optional().describe('only those for this folder, which is a path in the mount'),
  below: Yes('those for folders in that folder, too'),
  above: Yes('those for the folders above that folder, too'),
  limit: z.coerce.number().int().positive().optional().describe('no more than so many'),
})

const WhyQuery = z.object({
  subject: Subject.describe('user:ID or guest'),
  mount: z.coerce.number().int().positive().default(firstMount).describe('the mount of the folder'),
  folder: z.string().optional().describe('a path in the mount'),
  path: z.string().optional().describe('instead of mount and folder: a path as the caller sees it'),
})

export const grantRoutes = (deps: GrantDeps & WhyDeps): Route[] => [
  route({
    method: 'GET',
    path: '/api/access/why',
    access: ['admin'],
    summary: 'What a person may do at a path, which grants decide it, and what would have to change.',
    query: WhyQuery,
    returns: returnsJson(Why, 'Rights, the deciding grants and two sentences'),
    sample: ({ userId }) => ({ query: { subject: `user:${userId}`, mount: 1, folder: '/box' } }),
    async answer(context) {
      const { subject, mount, folder, path } = context.query
      const location =
        path === undefined ? locationIn(mount, parsePath(folder ?? '/')) : context.scope.locate(parsePath(path))
      return json(await whyFor(deps, subject, location), context)
    },
  }),
  route({
    method: 'GET',
    path: '/api/grants',
    access: ['admin'],
    summary: 'Grants, in the order of their folders.',
    query: GrantsQuery,
    returns: returnsJson(z.array(Grant), 'A list of grants'),
    sample: { query: { folder: '/box', below: 'true' } },
    answer: async (context) => json(await listGrants(deps.db, context.query), context),
  }),
  route({
    method: 'POST',
    path: '/api/grants',
    access: ['admin'],
    summary: 'Make a grant, or replace that of the same subject for the same folder.',
    details: 'No rights at all mean: nothing from this folder on down. The folder need not exist yet.',
    body: GrantRequest,
    returns: returnsCreated(Grant, 'The grant, with the rights that others include'),
    sample: { body: { subject: 'everybody', mount: 1, folder: '/box', rights: ['download'] } },
    async answer(context) {
      const grant = await saveGrant(deps, await context.body())
      context.note(factsOf(grant))
      return created(grant)
    },
  }),
  route({
    method: 'PUT',
    path: oneGrant,
    access: ['admin'],
    summary: 'Change the rights of a grant.',
    body: GrantChange,
    returns: returnsJson(Grant, 'The grant'),
    sample: ({ grantId }) => ({ params: { id: String(grantId) }, body: { rights: ['download' as const] } }),
    async answer(context) {
      const { rights } = await context.body()
      const grant = await changeGrant(deps, idIn(context), rights)
      context.note(factsOf(grant))
      return json(grant, context)
    },
  }),
  route({
    method: 'DELETE',
    path: oneGrant,
    access: ['admin'],
    summary: 'Remove a grant.',
    returns: returnsNothing(),
    sample: ({ grantId }) => ({ params: { id: String(grantId) } }),
    async answer(context) {
      const { subject, location } = await removeGrant(deps, idIn(context))
      context.note({ subject, folder: location })
      return done(204)
    },
  }),
]

const factsOf = ({ subject, mount, folder, rights }: Grant): LogFacts => ({
  subject,
  folder: mount === 1 ? folder : `${mount}:${folder}`,
  rights: rights.join(' '),
})

function idIn({ match }: RequestContext): number {
  const id = Number(match.params.id)
  if (!Number.isSafeInteger(id)) throw new Failure('not-found', 'There is no such grant')
  return id
}
