import type { AuthSettings, Settings } from '@filestead/contract'
import { type Given, ServerOptions } from '../../config/config.ts'
import { defaultOf } from '../../config/descriptions.ts'
import { type Section, sections } from '../output.ts'

/** The stored settings as `config cat` prints them. */
export const settingsText = (settings: Settings, auth: AuthSettings, server: Given): string =>
  sections([
    ['Accounts', accounts(settings)],
    ['Signing in', signingIn(settings, auth)],
    ['Branding', branding(settings)],
    ['Uploads', { 'Chunk size': settings.tus.chunkSize, 'Retry count': settings.tus.retryCount }],
    ['New files', { 'File mode': octal(settings.fileMode), 'Folder mode': octal(settings.dirMode) }],
    ['Hooks', { Shell: settings.shell.join(' ') }],
    ['New users', newUsers(settings)],
    ['Permissions of new users', settings.defaults.perm],
    ['Server (flags, environment and config file win over these)', serverPart(server)],
  ] satisfies Section[])

const accounts = (settings: Settings) => ({
  'Sign up': settings.signup,
  'Hide login button': settings.hideLoginButton,
  'Create user folders': settings.createUserDir,
  'Folder of homes': settings.userHomeBasePath,
  'Minimum password length': settings.minimumPasswordLength,
})

const signingIn = (
  { authMethod, logoutPage }: Settings,
  { recaptcha, header, createUsers, command }: AuthSettings,
) => ({
  Method: authMethod,
  'Logout page': logoutPage,
  'Proxy header': header,
  'Proxy creates users': createUsers,
  'Hook command': command,
  'Captcha host': recaptcha?.host ?? '',
  'Captcha key': recaptcha?.key ?? '',
  // Not printed: terminals are recorded and shared.
  'Captcha secret': recaptcha?.secret ? '(set, not shown)' : '',
})

const branding = ({ branding }: Settings) => ({
  Name: branding.name,
  Theme: branding.theme,
  Color: branding.color,
  Files: branding.files,
  'No external links': branding.disableExternal,
  'No disk usage': branding.disableUsedPercentage,
})

const newUsers = ({ defaults }: Settings) => ({
  Scope: defaults.scope,
  Locale: defaults.locale,
  'View mode': defaults.viewMode,
  'Single click': defaults.singleClick,
  'Redirect after copy/move': defaults.redirectAfterCopyMove,
  'Exact dates': defaults.dateFormat,
  'Hide dotfiles': defaults.hideDotfiles,
  'Editor theme': defaults.aceEditorTheme,
  'Sorting by': defaults.sorting.by,
  'Sorting ascending': defaults.sorting.asc,
  Commands: defaults.commands.join(', '),
})

const serverPart = (stored: Given): Given =>
  Object.fromEntries(
    Object.entries(ServerOptions.shape)
      .filter(([key]) => key !== 'redisCacheUrl')
      .map(([key, schema]) => [key, stored[key] ?? defaultOf(schema) ?? '(beside the database)']),
  )

const octal = (mode: number): string => `0${mode.toString(8)}`
