import type { User } from '@filestead/contract'

/** Takes permissions away that the server was started without. */
export type RestrictUser = (user: User) => User

export const unrestricted: RestrictUser = (user) => user

/** All users may list and download; none may change a file. */
export const readOnly: RestrictUser = (user) => ({
  ...user,
  perm: { ...user.perm, create: false, rename: false, modify: false, delete: false, execute: false },
})
