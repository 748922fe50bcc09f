import type { User } from '@filestead/contract'
import { call } from '../client.ts'

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
