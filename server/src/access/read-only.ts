import type { User } from '@filestead/contract'

/** What the way the server was started leaves of a user's rights. */
export type Limits = (user: User) => User

export const unlimited: Limits = (user) => user

/** Looking and fetching, for everybody; nothing that changes a file. */
export const readOnly: Limits = (user) => ({
  ...user,
  perm: { ...user.perm, create: false, rename: false, modify: false, delete: false, execute: false },
})
