import type { Group, User, WebSettings } from '@filestead/contract'
import { inOrder } from '../forms/merged.ts'
import { implied } from '../forms/permissions.ts'
import { offeredLocale, wordsIn } from '../forms/values.ts'

/** A user as the form holds one. */
export interface UserFields {
  username: string
  password: string
  scope: string
  /** The server makes a folder for the new user, and names it after the user. */
  makesHome: boolean
  locale: string
  lockPassword: boolean
  perm: User['perm']
  commands: string
  rules: User['rules']
  /** The ids of groups, in their order. */
  groups: number[]
}

export const fieldsOf = (user: User, groups: readonly Group[] = []): UserFields => ({
  username: user.username,
  password: '',
  scope: user.scope,
  makesHome: false,
  locale: offeredLocale(user.locale),
  lockPassword: user.lockPassword,
  perm: user.perm,
  commands: user.commands.join(' '),
  rules: user.rules,
  groups: inOrder(groups.filter(({ members }) => members.includes(user.id)).map(({ id }) => id)),
})

/** A user that does not exist yet, with the default settings. */
export const newUser = ({ defaults }: WebSettings): User => ({
  ...defaults,
  id: 0,
  username: '',
  password: '',
  lockPassword: false,
  rules: [],
})

/** The user that is sent: what the form does not show stays as it was. */
export const userOf = (fields: UserFields, user: User): User => ({
  ...user,
  username: fields.username.trim(),
  password: fields.password,
  scope: fields.makesHome ? '' : fields.scope,
  locale: fields.locale,
  // The password of an administrator must stay changeable.
  lockPassword: fields.lockPassword && !fields.perm.admin,
  perm: implied(fields.perm),
  commands: wordsIn(fields.commands),
  rules: fields.rules,
})

/** The folder that a scope names, which may be written as '.', 'home' or '/home/'. */
export const folderOf = (scope: string): string =>
  `/${scope
    .trim()
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')}`

/** The folder that the server makes for a user of this name. Where it has to change the name, that is left open. */
export const homeFor = (username: string, { userHomeBasePath }: WebSettings): string =>
  folderOf(`${userHomeBasePath}/${/^[0-9A-Za-z@_]+$/.test(username.trim()) ? username.trim() : '…'}`)

export type UserProblems = { username?: 'emptyName'; password?: 'empty' | 'tooShort' }

/** What the server would refuse, said before it has to. */
export function checkUser(fields: UserFields, isNew: boolean, minimumPasswordLength: number): UserProblems {
  const { username, password } = fields
  const isShort = password !== '' && new TextEncoder().encode(password).length < minimumPasswordLength
  return {
    ...(username.trim() === '' && { username: 'emptyName' }),
    ...(password === '' && isNew && { password: 'empty' }),
    ...(isShort && { password: 'tooShort' }),
  }
}
