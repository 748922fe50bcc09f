import { can, isGuest } from '../server/session.ts'

/**
 * The pages of the settings, in their order, each at /settings/<name>. A new page is a line here, its title in
 * SettingsNavigation.tsx, its queries in needed.ts, and its component in SettingsScreen.tsx.
 */
export const settingsPages = [
  { name: 'profile' },
  { name: 'shares', permission: 'share' },
  { name: 'global', permission: 'admin' },
  { name: 'users', permission: 'admin' },
  { name: 'groups', permission: 'admin' },
  { name: 'mounts', permission: 'admin' },
  { name: 'access', permission: 'admin' },
] as const

/** Without a permission of its own, a page is open to every user. */
export const mayOpen = (page: (typeof settingsPages)[number]): boolean =>
  !isGuest() && (!('permission' in page) || can(page.permission))

export type SettingsPageName = (typeof settingsPages)[number]['name']

/** Pages of lists, each with the name of the page about one of them, at /settings/<list>/<id>. */
const singles = { users: 'user', groups: 'group', mounts: 'mount' } as const

type SingleName = (typeof singles)[keyof typeof singles]

export type SettingsTab =
  | { name: SettingsPageName }
  /** `id` is null for one that does not exist yet. */
  | { name: SingleName; id: number | null }

export const singleOf = (list: string): SingleName | undefined => (singles as Record<string, SingleName>)[list]

/** The entry of the navigation that a tab belongs to. */
export const entryOf = ({ name }: SettingsTab): SettingsPageName =>
  (Object.keys(singles) as (keyof typeof singles)[]).find((list) => singles[list] === name) ??
  (name as SettingsPageName)
