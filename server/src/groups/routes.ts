import { Group, GroupIds, GroupRequest } from '@filestead/contract'
import { z } from 'zod'
import { type Route, route } from '../access/routes.ts'
import { Failure } from '../failure.ts'
import { created, done, json } from '../http/answers.ts'
import type { RequestContext } from '../http/request.ts'
import { returnsCreated, returnsJson, returnsNothing } from '../http/returns.ts'
import { changeGroup, createGroup, type GroupDeps, groupsOfUser, removeGroup, setGroupsOfUser } from './groups.ts'
import { allGroups } from './store.ts'

const oneGroup = '/api/groups/:id{[0-9]+}'
const groupsOfOne = '/api/users/:id{[0-9]+}/groups'

export const groupRoutes = (deps: GroupDeps): Route[] => [
  route({
    method: 'GET',
    path: '/api/groups',
    access: ['admin'],
    summary: 'All groups, with the ids of their members.',
    returns: returnsJson(z.array(Group), 'A list of groups'),
    sample: {},
    answer: async (context) => json(await allGroups(deps.db), context),
  }),
  route({
    method: 'POST',
    path: '/api/groups',
    access: ['admin'],
    summary: 'Make a group.',
    body: GroupRequest,
    returns: returnsCreated(Group, 'The group'),
    sample: ({ userId }) => ({ body: { name: 'Editors', members: [userId] } }),
    async answer(context) {
      const group = await createGroup(deps, await context.body())
      context.note({ group: group.name })
      return created(group)
    },
  }),
  route({
    method: 'PUT',
    path: oneGroup,
    access: ['admin'],
    summary: 'Give a group another name and other members.',
    details: 'Only local groups; members of others are told by their source.',
    body: GroupRequest,
    returns: returnsJson(Group, 'The group'),
    sample: ({ groupId, userId }) => ({
      params: { id: String(groupId) },
      body: { name: 'Renamed', members: [userId] },
    }),
    async answer(context) {
      const group = await changeGroup(deps, idIn(context), await context.body())
      context.note({ group: group.name })
      return json(group, context)
    },
  }),
  route({
    method: 'DELETE',
    path: oneGroup,
    access: ['admin'],
    summary: 'Remove a group, and all that was granted to it. Its members stay users.',
    returns: returnsNothing(),
    sample: ({ groupId }) => ({ params: { id: String(groupId) } }),
    async answer(context) {
      context.note({ group: idIn(context) })
      await removeGroup(deps, idIn(context))
      return done(204)
    },
  }),
  route({
    method: 'GET',
    path: groupsOfOne,
    access: ['admin'],
    summary: 'The groups that a user is in.',
    returns: returnsJson(GroupIds, 'The ids of groups'),
    sample: ({ userId }) => ({ params: { id: String(userId) } }),
    answer: async (context) => json({ groups: await groupsOfUser(deps, idIn(context)) }, context),
  }),
  route({
    method: 'PUT',
    path: groupsOfOne,
    access: ['admin'],
    summary: 'Put a user into these groups, and out of all others.',
    body: GroupIds,
    returns: returnsJson(GroupIds, 'The ids of groups'),
    sample: ({ userId, groupId }) => ({ params: { id: String(userId) }, body: { groups: [groupId] } }),
    async answer(context) {
      const { groups } = await context.body()
      return json({ groups: await setGroupsOfUser(deps, idIn(context), groups) }, context)
    },
  }),
]

function idIn({ match }: RequestContext): number {
  const id = Number(match.params.id)
  if (!Number.isSafeInteger(id)) throw new Failure('not-found', 'There is no such group')
  return id
}
