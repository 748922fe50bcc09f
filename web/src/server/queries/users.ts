import type { LastSignIn, TokenUser, User } from '@filestead/contract'
import { queryOptions } from '@tanstack/react-query'
import { perSession, sessionSignal } from '../../state/session-scope.ts'
import { call, getJson } from '../client.ts'
import { amendUser, currentSession, isGuest } from '../session.ts'
import { ownOrder } from './resources.ts'

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

/** Preferences of the session's user that are being saved. */
const saving = perSession(() => ({
  count: 0,
  isRefused: false,
  last: Promise.resolve() as Promise<unknown>,
  /** As the server has them. */
  stored: {} as Partial<TokenUser>,
  /** As they were chosen, of all that are under way. */
  chosen: {} as Partial<TokenUser>,
}))

/**
 * Shows the user's own preferences at once and saves them, one change after the other, so that the last one counts.
 * Once all have been answered, those that were refused are shown as they were before. The choices of a guest last as
 * long as the page.
 */
export async function savePreferences(change: Partial<TokenUser> & Partial<Pick<User, 'sorting'>>): Promise<void> {
  const { user } = currentSession() ?? {}
  if (user === undefined) return
  const { sorting, ...shown } = change
  if (isGuest()) {
    amendUser(shown)
    if (sorting !== undefined) ownOrder.set(sorting)
    return
  }
  const own = saving()
  if (own.count === 0) Object.assign(own, { stored: user, chosen: {}, isRefused: false })
  own.count += 1
  own.chosen = { ...own.chosen, ...shown }
  amendUser(shown)
  const session = sessionSignal()
  const sent = own.last.then(() => {
    session.throwIfAborted()
    return updateUser({ ...change, id: user.id }, Object.keys(change) as (keyof User)[])
  })
  own.last = sent.catch(() => {})
  try {
    await sent
    own.stored = { ...own.stored, ...shown }
  } catch (error) {
    own.isRefused = true
    throw error
  } finally {
    own.count -= 1
    if (own.count === 0 && own.isRefused && !session.aborted) amendUser(pick(own.stored, Object.keys(own.chosen)))
  }
}

const pick = (user: Partial<TokenUser>, names: readonly string[]): Partial<TokenUser> =>
  Object.fromEntries(Object.entries(user).filter(([name]) => names.includes(name)))
