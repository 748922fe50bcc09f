import type { Group, GroupIds, GroupRequest } from '@filestead/contract'
import { queryOptions } from '@tanstack/react-query'
import { call, getJson } from '../client.ts'
import { cache } from './cache.ts'
import { rereadRights } from './grants.ts'

/** All groups with their members, for administrators. */
export const groupsQuery = () =>
  queryOptions({ queryKey: ['groups'], queryFn: ({ signal }) => getJson<Group[]>('groups', { signal }) })

export async function createGroup(group: GroupRequest): Promise<Group> {
  const made: Group = await (await call('POST', 'groups', { body: group })).json()
  await rereadGroups()
  return made
}

export async function updateGroup(id: number, group: GroupRequest): Promise<void> {
  await call('PUT', `groups/${id}`, { body: group })
  await rereadGroups()
}

/** Its grants go with it. */
export async function removeGroup(id: number): Promise<void> {
  await call('DELETE', `groups/${id}`)
  await rereadGroups()
}

export async function changeGroupsOf(userId: number, groups: readonly number[]): Promise<void> {
  const body: GroupIds = { groups: [...groups] }
  await call('PUT', `users/${userId}/groups`, { body })
  await rereadGroups()
}

/** Who is in a group has its rights. */
const rereadGroups = (): Promise<unknown> =>
  Promise.all([cache().invalidateQueries({ queryKey: ['groups'] }), rereadRights()])
