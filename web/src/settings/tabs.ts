import type { GlyphName } from '../ui/glyphs.tsx'

/**
 * The pages of the settings, in their order. A new page is a line here, its queries in needed.ts, its component in
 * SettingsScreen.tsx, and an address in the route table.
 */
export const settingsPages = [
  { name: 'profile', icon: 'user', label: 'settings.profile.title' },
  { name: 'shares', icon: 'link', label: 'settings.shares.title', permission: 'share' },
  { name: 'global', icon: 'sliders', label: 'settings.global.title', permission: 'admin' },
  { name: 'users', icon: 'users', label: 'settings.users.management', permission: 'admin' },
] as const satisfies { name: string; icon: GlyphName; label: string; permission?: 'share' | 'admin' }[]

export type SettingsPageName = (typeof settingsPages)[number]['name']

export type SettingsTab =
  | { name: SettingsPageName }
  /** `id` is null for a user that does not exist yet. */
  | { name: 'user'; id: number | null }
