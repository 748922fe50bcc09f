import type { LastSignIn, User } from '@filestead/contract'
import { queryOptions } from '@tanstack/react-query'
import { call, getJson } from '../client.ts'

export const usersQuery = () =>
  queryOptions({ queryKey: ['users'], queryFn: ({ signal }) => getJson<User[]>('users', { signal }) })

/** When each user signed in last, for administrators. */
export const signInsQuery = () =>
  queryOptions({ queryKey: ['sign-ins'], queryFn: ({ signal }) => getJson<LastSignIn[]>('sign-ins', { signal }) })

export const userQuery = (id: number) =>
  queryOptions({ queryKey: ['users', id], queryFn: ({ signal }) => getJson<User>(`users/${id}`, { signal }) })

/** Answers the address of the new user, such as /settings/users/3. */
export async function createUser(
  user: User,
  currentPassword: string,
  { hasOwnFolder = false } = {},
): Promise<string | null> {
  const response = await call('POST', 'users', {
    body: { what: 'user', which: [], current_password: currentPassword, own_folder: hasOwnFolder, data: user },
  })
  return response.headers.get('Location')
}

export const removeUser = async (id: number, currentPassword: string): Promise<void> =>
  void (await call('DELETE', `users/${id}`, { body: { current_password: currentPassword } }))
