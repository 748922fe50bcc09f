import type { Group, Mount, User } from '@filestead/contract'
import { useQueries } from '@tanstack/react-query'
import { groupsQuery } from '../../server/queries/groups.ts'
import { mountsQuery } from '../../server/queries/mounts.ts'
import { usersQuery } from '../../server/queries/users.ts'
import { currentSession } from '../../server/session.ts'

/** Who there is, and what is served: what every view of rights is drawn from. */
export interface RightsData {
  users: readonly User[]
  groups: readonly Group[]
  mounts: readonly Mount[]
  /** The administrator who looks. */
  self: User | undefined
}

/** In milliseconds: a person who goes through folders does not ask for all accounts with each of them. */
const freshFor = 30_000

/** Undefined until all of it is there. */
export function useRightsData(): { data: RightsData | undefined; error: unknown; retry: () => void } {
  const [users, groups, mounts] = useQueries({
    queries: [
      { ...usersQuery(), staleTime: freshFor },
      { ...groupsQuery(), staleTime: freshFor },
      { ...mountsQuery(), staleTime: freshFor },
    ],
  })
  const answers = [users, groups, mounts]
  const retry = () => {
    for (const { error, refetch } of answers) if (error !== null) void refetch()
  }
  const error = answers.find((answer) => answer.error !== null)?.error ?? null
  if (users.data === undefined || groups.data === undefined || mounts.data === undefined)
    return { data: undefined, error, retry }
  const self = users.data.find(({ id }) => id === currentSession()?.user.id)
  return { data: { users: users.data, groups: groups.data, mounts: mounts.data, self }, error, retry }
}
