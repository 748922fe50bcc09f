import { type Permission, permissionNames, sortKeys, type UserDefaults } from '@filestead/contract'
import { z } from 'zod'
import { inGroup } from '../../config/descriptions.ts'
import { Choice, FilledText, List, Switch, Text } from '../../config/values.ts'

const preferences = inGroup('Preferences')
const rights = inGroup('Permissions')

const actions: Record<Permission, string> = {
  admin: 'manage users and settings',
  execute: 'run commands',
  create: 'create files and folders',
  rename: 'rename and move',
  modify: 'change files',
  delete: 'delete',
  share: 'share; needs download too',
  download: 'download',
}

/** Flags for a user, and for the defaults of new users. */
export const UserFlags = z.object({
  scope: preferences(Text.optional(), 'folder below the root that the user sees', '<folder>'),
  locale: preferences(FilledText.optional(), 'language, such as en or pt-br', '<language>'),
  viewMode: preferences(Choice(['list', 'mosaic']).optional(), 'list or mosaic', '<view>'),
  singleClick: preferences(Switch.optional(), 'open with a single click'),
  redirectAfterCopyMove: preferences(Switch.optional(), 'go to the target folder after a copy or move'),
  dateFormat: preferences(Switch.optional(), 'show exact dates'),
  hideDotfiles: preferences(Switch.optional(), 'hide files whose name begins with a dot'),
  aceEditorTheme: preferences(Text.optional(), 'theme of the editor', '<name>'),
  'sorting.by': preferences(Choice(sortKeys).optional(), sortKeys.join(', ').replace(/, (?=\w+$)/, ' or '), '<column>'),
  'sorting.asc': preferences(Switch.optional(), 'sort in ascending order'),
  lockPassword: rights(Switch.optional(), 'the user cannot change the password'),
  commands: rights(List.optional(), 'commands the user may run', '<a,b>'),
  ...(Object.fromEntries(
    permissionNames.map((name) => [`perm.${name}`, rights(Switch.optional(), `may ${actions[name]}`)]),
  ) as Record<`perm.${Permission}`, z.ZodOptional<typeof Switch>>),
})
export type UserFlags = z.infer<typeof UserFlags>

/** `base` with the values of the flags that were given. */
export function withUserFlags<Base extends UserDefaults>(base: Base, flags: UserFlags): Base {
  const perm = Object.fromEntries(permissionNames.map((name) => [name, flags[`perm.${name}`] ?? base.perm[name]]))
  return {
    ...base,
    scope: flags.scope ?? base.scope,
    locale: flags.locale ?? base.locale,
    viewMode: flags.viewMode ?? base.viewMode,
    singleClick: flags.singleClick ?? base.singleClick,
    redirectAfterCopyMove: flags.redirectAfterCopyMove ?? base.redirectAfterCopyMove,
    dateFormat: flags.dateFormat ?? base.dateFormat,
    hideDotfiles: flags.hideDotfiles ?? base.hideDotfiles,
    aceEditorTheme: flags.aceEditorTheme ?? base.aceEditorTheme,
    commands: flags.commands ?? base.commands,
    sorting: { by: flags['sorting.by'] ?? base.sorting.by, asc: flags['sorting.asc'] ?? base.sorting.asc },
    perm: { ...base.perm, ...perm },
  }
}

/** Flags of `users update` alone. */
export const AccountFlags = z.object({
  username: inGroup('Account')(FilledText.optional(), 'new name', '-u <name>'),
  password: inGroup('Account')(
    FilledText.optional(),
    'new password, or - to read it from standard input; ends all sessions of the user',
    '-p <password>',
  ),
})
