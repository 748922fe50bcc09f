import type { AuthSettings, Settings } from '@filestead/contract'
import { type Given, ServerOptions } from '../config/config.ts'
import type { Account } from '../users/store.ts'

/** The settings as File Browser exports and imports them, in its order. */
export function oldConfigOf(settings: Settings, auth: AuthSettings, server: Given, key: string) {
  return {
    settings: {
      key,
      signup: settings.signup,
      hideLoginButton: settings.hideLoginButton,
      createUserDir: settings.createUserDir,
      userHomeBasePath: settings.userHomeBasePath,
      defaults: preferencesOf(settings.defaults),
      authMethod: settings.authMethod,
      logoutPage: settings.logoutPage,
      branding: settings.branding,
      tus: settings.tus,
      commands: settings.commands,
      shell: settings.shell,
      rules: settings.rules,
      minimumPasswordLength: settings.minimumPasswordLength,
      fileMode: settings.fileMode,
      dirMode: settings.dirMode,
      hideDotfiles: false,
    },
    server: oldServerOf(server),
    auther: oldAutherOf(settings, auth),
  }
}

/** A user with the password hash. File Browser can check bcrypt alone. */
export const oldUserOf = ({ user, passwordHash }: Account) => ({
  id: user.id,
  username: user.username,
  password: passwordHash,
  scope: user.scope,
  locale: user.locale,
  lockPassword: user.lockPassword,
  viewMode: user.viewMode,
  singleClick: user.singleClick,
  redirectAfterCopyMove: user.redirectAfterCopyMove,
  perm: user.perm,
  commands: user.commands,
  sorting: user.sorting,
  rules: user.rules,
  hideDotfiles: user.hideDotfiles,
  dateFormat: user.dateFormat,
  aceEditorTheme: user.aceEditorTheme,
})

export const isUsableThere = ({ passwordHash }: Account): boolean => passwordHash.startsWith('$2')

/** Options that were not stored have their defaults. */
function oldServerOf(stored: Given) {
  const options = ServerOptions.parse(stored)
  return {
    root: options.root,
    baseURL: options.baseURL,
    socket: options.socket,
    tlsKey: options.key,
    tlsCert: options.cert,
    port: String(options.port),
    address: options.address,
    log: options.log,
    enableThumbnails: !options.disableThumbnails,
    resizePreview: !options.disablePreviewResize,
    enableExec: !options.disableExec,
    typeDetectionByHeader: !options.disableTypeDetectionByHeader,
    imageResolutionCalculation: !options.disableImageResolutionCalc,
    authHook: '',
    tokenExpirationTime: options.tokenExpirationTime,
    followExternalSymlinks: options.followExternalSymlinks,
  }
}

/** The settings of the method in use. */
function oldAutherOf({ authMethod }: Settings, { recaptcha, header, command }: AuthSettings): object {
  switch (authMethod) {
    case 'json':
      return { recaptcha }
    case 'proxy':
      return { header }
    case 'hook':
      return { command }
    case 'noauth':
      return {}
  }
}

function preferencesOf(defaults: Settings['defaults']) {
  return {
    scope: defaults.scope,
    locale: defaults.locale,
    viewMode: defaults.viewMode,
    singleClick: defaults.singleClick,
    redirectAfterCopyMove: defaults.redirectAfterCopyMove,
    sorting: defaults.sorting,
    perm: defaults.perm,
    commands: defaults.commands,
    hideDotfiles: defaults.hideDotfiles,
    dateFormat: defaults.dateFormat,
    aceEditorTheme: defaults.aceEditorTheme,
  }
}

/** The YAML of File Browser: field names in lower case, one of them shorter, and the key as a list of bytes. */
export const asOldYaml = (value: unknown): string => `${Bun.YAML.stringify(withSmallNames(value), null, 4)}\n`

function withSmallNames(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => withSmallNames(item))
  if (name === 'key' && typeof value === 'string') return [...Buffer.from(value, 'base64')]
  if (typeof value !== 'object' || value === null) return value
  // The names of events are data, not fields.
  if (name === 'commands') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [shortNames[key] ?? key.toLowerCase(), withSmallNames(inner, key)]),
  )
}

const shortNames: Readonly<Record<string, string>> = { imageResolutionCalculation: 'imageresolutioncal' }
