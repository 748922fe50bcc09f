import { AuthSettings, authMethods, Settings } from '@filestead/contract'
import type { Changes } from './changes.ts'
import type { OldAuther, OldServer, OldSettings } from './old-records.ts'
import { rulesFrom } from './rules.ts'

/** Zeros and empty strings meant the defaults; the contract's schema parses them so. */
export function settingsFrom(old: OldSettings, changes: Changes): Settings {
  const { defaults, branding, tus } = old
  return Settings.parse({
    signup: old.signup,
    hideLoginButton: old.hideloginbutton,
    createUserDir: old.createuserdir,
    minimumPasswordLength: Math.max(old.minimumpasswordlength, 0),
    userHomeBasePath: old.userhomebasepath,
    defaults: {
      scope: defaults.scope,
      locale: defaults.locale,
      viewMode: defaults.viewmode,
      singleClick: defaults.singleclick,
      redirectAfterCopyMove: defaults.redirectaftercopymove,
      sorting: defaults.sorting,
      perm: defaults.perm,
      commands: defaults.commands,
      hideDotfiles: defaults.hidedotfiles,
      dateFormat: defaults.dateformat,
      aceEditorTheme: defaults.aceeditortheme,
    },
    authMethod: methodOf(old, changes),
    rules: rulesFrom(old.rules, { name: '', link: '/settings/global' }, changes),
    branding: {
      name: branding.name,
      disableExternal: branding.disableexternal,
      disableUsedPercentage: branding.disableusedpercentage,
      files: branding.files,
      theme: ['light', 'dark'].includes(branding.theme) ? branding.theme : '',
      color: branding.color,
    },
    tus: { chunkSize: Math.max(tus.chunksize, 0), retryCount: Math.min(Math.max(tus.retrycount, 0), 65_535) },
    shell: old.shell,
    commands: old.commands,
    logoutPage: old.logoutpage || '/login',
    fileMode: modeOf(old.filemode, 0o640),
    dirMode: modeOf(old.dirmode, 0o750),
  })
}

const modeOf = (mode: number, usual: number): number => (mode > 0 && mode <= 0o7777 ? mode : usual)

/** An unknown sign-in method must not become one that needs no password. */
function methodOf({ authmethod }: OldSettings, changes: Changes): Settings['authMethod'] {
  const method = authMethods.find((name) => name === authmethod)
  if (method === undefined && authmethod !== '') changes.add('method-unknown', authmethod)
  return method ?? 'json'
}

export const authFrom = ({ recaptcha, header, command }: OldAuther): AuthSettings =>
  AuthSettings.parse({
    recaptcha: recaptcha && { ...recaptcha, host: recaptcha.host || undefined },
    header,
    command,
  })

/** Keys that are too short to sign with safely are replaced; tokens signed with them end. */
export function keyFrom({ key }: OldSettings, changes: Changes): Uint8Array | undefined {
  if (key.length >= 32) return key
  changes.add('sessions-ended')
  return undefined
}

/** Adds to the report what visitors and new accounts may do with these settings, and what differs from before. */
export function noteSettings(settings: Settings, server: OldServer, changes: Changes): void {
  const { authMethod, defaults, createUserDir, signup } = settings
  if (authMethod === 'proxy') changes.add('proxy-untrusted')
  if ((signup || authMethod === 'proxy' || authMethod === 'hook') && !createUserDir && /^\.?$/.test(defaults.scope))
    changes.add('signup-own-home')
  if (server.followexternalsymlinks) changes.add('links-followed')
  if (settings.shell.length > 0) changes.add('shell-off', settings.shell.join(' '))
  for (const [event, lines] of Object.entries(settings.commands))
    for (const line of lines) if (hasInnerPlaceholder(line)) changes.add('hook-placeholder', `${event}: ${line}`)
}

const hasInnerPlaceholder = (line: string): boolean =>
  line.split(/\s+/).some((word) => /\$\{?\w/.test(word.replace(/^["']|["']$/g, '').replace(/^\$(\{\w+\}|\w+)$/, '')))

/** Whether there are commands or hooks that could run. */
export const hasCommands = ({ commands, shell, defaults }: Settings): boolean =>
  shell.length > 0 || defaults.commands.length > 0 || Object.values(commands).some((lines) => lines.length > 0)
