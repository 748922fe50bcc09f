import type { TokenUser, User } from '@filestead/contract'
import { queryOptions } from '@tanstack/react-query'
import { call, getJson } from './client.ts'
import { amendUser, currentSession } from './session.ts'

export const usersQuery = () =>
  queryOptions({ queryKey: ['users'], queryFn: ({ signal }) => getJson<User[]>('users', { signal }) })

export const userQuery = (id: number) =>
  queryOptions({ queryKey: ['users', id], queryFn: ({ signal }) => getJson<User>(`users/${id}`, { signal }) })

/** Answers the address of the new user, such as /settings/users/3. */
export async function createUser(user: User, currentPassword: string): Promise<string | null> {
  const response = await call('POST', 'users', {
    body: { what: 'user', which: [], current_password: currentPassword, data: user },
  })
  return response.headers.get('Location')
}

/** Changes the named fields of a user, or all of them. */
export async function updateUser(
  user: Partial<User> & { id: number },
  which: readonly (keyof User)[] | 'all',
  currentPassword = '',
): Promise<void> {
  await call('PUT', `users/${user.id}`, {
    body: {
      what: 'user',
      which: which === 'all' ? ['all'] : which,
      current_password: currentPassword,
      data: user,
    },
  })
}

export const removeUser = async (id: number, currentPassword: string): Promise<void> =>
  void (await call('DELETE', `users/${id}`, { body: { current_password: currentPassword } }))

/** Saves one's own preferences, and shows them at once. */
export async function savePreferences(change: Partial<TokenUser> & Partial<Pick<User, 'sorting'>>): Promise<void> {
  const session = currentSession()
  if (session === null) return
  const { sorting: _, ...shown } = change
  amendUser(shown)
  await updateUser({ ...change, id: session.user.id }, Object.keys(change) as (keyof User)[])
}
