import type { UseQueryOptions } from '@tanstack/react-query'
import { grantsQuery } from '../server/queries/grants.ts'
import { groupsQuery } from '../server/queries/groups.ts'
import { mountsQuery } from '../server/queries/mounts.ts'
import { sessionsQuery } from '../server/queries/sessions.ts'
import { settingsQuery } from '../server/queries/settings.ts'
import { sharesQuery } from '../server/queries/shares.ts'
import { signInsQuery, userQuery, usersQuery } from '../server/queries/users.ts'
import { can } from '../server/session.ts'
import { startSettings } from '../server/start-settings.ts'
import type { SettingsTab } from './tabs.ts'

/** The queries whose answers a page needs before it can be shown. */
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
      return [usersQuery(), signInsQuery()]
    case 'access':
      return [grantsQuery(), usersQuery(), groupsQuery(), mountsQuery()]
    case 'user':
      return [settingsQuery(), groupsQuery(), mountsQuery(), ...(tab.id === null ? [] : [userQuery(tab.id)])]
    case 'groups':
    case 'group':
      return [groupsQuery(), usersQuery()]
    case 'mounts':
    case 'mount':
      return [mountsQuery()]
  }
}
