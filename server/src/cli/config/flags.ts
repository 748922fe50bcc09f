import { resolve } from 'node:path'
import { AuthSettings, authMethods, Settings } from '@filestead/contract'
import { z } from 'zod'
import { inGroup } from '../../config/descriptions.ts'
import { Amount, Choice, Mode, Switch, Text, Whole } from '../../config/values.ts'
import { Failure } from '../../failure.ts'
import { type UserFlags, withUserFlags } from '../users/flags.ts'

const accounts = inGroup('Accounts')
const files = inGroup('New files')
const signingIn = inGroup('How people sign in')
const branding = inGroup('Branding')
const uploads = inGroup('Uploads')
const commands = inGroup('Commands and hooks')

/** Flags of `config init` and `config set`, beside the options of the server and the defaults of new users. */
export const SettingsFlags = z.object({
  signup: accounts(Switch.optional(), 'people may make accounts of their own', '-s'),
  hideLoginButton: accounts(Switch.optional(), 'do not offer visitors of shares to sign in'),
  createUserDir: accounts(Switch.optional(), 'make a home folder for every new user'),
  minimumPasswordLength: accounts(Whole(1, 1000).optional(), 'shortest password, in bytes', '<number>'),

  fileMode: files(Mode.optional(), 'permissions of new files, such as 0640', '<mode>'),
  dirMode: files(Mode.optional(), 'permissions of new folders, such as 0750', '<mode>'),

  'auth.method': signingIn(
    Choice(authMethods).optional(),
    'json (name and password), proxy, hook or noauth',
    '<method>',
  ),
  'auth.header': signingIn(Text.optional(), 'proxy: the header that names the user', '<name>'),
  'auth.createUsers': signingIn(Switch.optional(), 'proxy: make an account for a name that has none'),
  'auth.command': signingIn(Text.optional(), 'hook: the program that decides', '<command>'),
  'auth.logoutPage': signingIn(Text.optional(), 'where people go when they sign out', '<url>'),
  'recaptcha.host': signingIn(Text.optional(), 'where the captcha lives', '<url>'),
  'recaptcha.key': signingIn(Text.optional(), 'site key; empty switches the captcha off', '<key>'),
  'recaptcha.secret': signingIn(Text.optional(), 'secret; empty switches the captcha off', '<secret>'),

  'branding.name': branding(Text.optional(), 'name shown instead of the usual one', '<name>'),
  'branding.theme': branding(Choice(['', 'light', 'dark']).optional(), 'light, dark or empty', '<theme>'),
  'branding.color': branding(Text.optional(), 'colour of the browser around the page', '<color>'),
  'branding.files': branding(Text.optional(), 'folder with a logo, icons and custom.css', '<folder>'),
  'branding.disableExternal': branding(Switch.optional(), 'no links to other sites'),
  'branding.disableUsedPercentage': branding(Switch.optional(), 'do not show how full the disk is'),

  'tus.chunkSize': uploads(Amount.optional(), 'size of the pieces of an upload', '<amount>'),
  'tus.retryCount': uploads(Whole(0, 65_535).optional(), 'how often a piece is tried again', '<number>'),

  shell: commands(Text.optional(), 'shell that runs hooks, such as "/bin/sh -c"; empty for none', '<command>'),
})
export type SettingsFlags = z.infer<typeof SettingsFlags>

/** `base` with the values of the flags that were given. */
export function withSettingsFlags(base: Settings, flags: SettingsFlags, userFlags: UserFlags): Settings {
  const page = flags['auth.logoutPage']
  const brandingFiles = flags['branding.files']
  const settings = Settings.parse({
    ...base,
    signup: flags.signup ?? base.signup,
    hideLoginButton: flags.hideLoginButton ?? base.hideLoginButton,
    createUserDir: flags.createUserDir ?? base.createUserDir,
    minimumPasswordLength: flags.minimumPasswordLength ?? base.minimumPasswordLength,
    fileMode: flags.fileMode ?? base.fileMode,
    dirMode: flags.dirMode ?? base.dirMode,
    authMethod: flags['auth.method'] ?? base.authMethod,
    logoutPage: page === '' ? undefined : (page ?? base.logoutPage),
    branding: {
      ...base.branding,
      ...below('branding', flags),
      // Absolute: the server may run in another working directory.
      files: brandingFiles ? resolve(brandingFiles) : (brandingFiles ?? base.branding.files),
    },
    tus: { ...base.tus, ...below('tus', flags) },
    shell: flags.shell?.split(' ').filter(Boolean) ?? base.shell,
    defaults: withUserFlags(base.defaults, userFlags),
  })
  const { share, download } = settings.defaults.perm
  if (share && !download) throw new Failure('invalid', 'permission to share requires permission to download')
  return settings
}

export function withAuthFlags(base: AuthSettings, flags: SettingsFlags): AuthSettings {
  return AuthSettings.parse({
    ...base,
    header: flags['auth.header'] ?? base.header,
    command: flags['auth.command'] ?? base.command,
    createUsers: flags['auth.createUsers'] ?? base.createUsers,
    recaptcha: recaptchaWith(base.recaptcha, flags),
  })
}

/** A captcha needs both key and secret; an empty one removes it. */
function recaptchaWith(base: AuthSettings['recaptcha'], flags: SettingsFlags): unknown {
  const given = below('recaptcha', flags)
  if (given.key === '' || given.secret === '') return null
  return Object.keys(given).length === 0 ? base : { key: '', secret: '', ...base, ...given }
}

/** Refuses a sign-in method without the setting it depends on: every sign-in would fail. */
export function requireUsableMethod({ authMethod }: Settings, auth: AuthSettings): void {
  if (authMethod === 'proxy' && auth.header.trim() === '')
    throw new Failure('invalid', '--auth.method proxy needs --auth.header, the header that names the user')
  if (authMethod === 'hook' && auth.command.trim() === '')
    throw new Failure('invalid', '--auth.method hook needs --auth.command, the program that decides')
}

/** { name: 'x' } for 'branding' out of { 'branding.name': 'x' }. */
const below = (group: string, flags: SettingsFlags): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(flags)
      .filter(([key, value]) => key.startsWith(`${group}.`) && value !== undefined)
      .map(([key, value]) => [key.slice(group.length + 1), value]),
  )
