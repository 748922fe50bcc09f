import type { UseQueryOptions } from '@tanstack/react-query'
import { can, sessionsQuery } from '../../api/session.ts'
import { settingsQuery } from '../../api/settings.ts'
import { sharesQuery } from '../../api/shares.ts'
import { startSettings } from '../../api/start-settings.ts'
import { userQuery, usersQuery } from '../../api/users.ts'
import type { SettingsTab } from './tabs.ts'

/** What a page has to know before it can be shown. */
export function neededBy(tab: SettingsTab): UseQueryOptions[] {
  return queriesOf(tab) as UseQueryOptions[]
}

function queriesOf(tab: SettingsTab): object[] {
  switch (tab.name) {
    case 'profile':
      return startSettings.NoAuth ? [] : [sessionsQuery()]
    case 'shares':
      return can('admin') ? [sharesQuery(), usersQuery()] : [sharesQuery()]
    case 'global':
      return [settingsQuery()]
    case 'users':
      return [usersQuery()]
    case 'user':
      return tab.id === null ? [settingsQuery()] : [settingsQuery(), userQuery(tab.id)]
  }
}
