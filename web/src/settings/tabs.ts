import { can } from '../server/session.ts'

/**
 * The pages of the settings, in their order, each at /settings/<name>. A new page is a line here, its title in
 * SettingsNavigation.tsx, its queries in needed.ts, and its component in SettingsScreen.tsx.
 */
export const settingsPages = [
  { name: 'profile' },
  { name: 'shares', permission: 'share' },
  { name: 'global', permission: 'admin' },
  { name: 'users', permission: 'admin' },
] as const

/** Without a permission of its own, a page is open to every user. */
export const mayOpen = (page: (typeof settingsPages)[number]): boolean =>
  !('permission' in page) || can(page.permission)

export type SettingsPageName = (typeof settingsPages)[number]['name']

export type SettingsTab =
  | { name: SettingsPageName }
  /** `id` is null for a user that does not exist yet. */
  | { name: 'user'; id: number | null }
