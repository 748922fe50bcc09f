import { AuthSettings, Settings, UserDefaults } from '@filestead/contract'
import { z } from 'zod'
import { type Given, parseFlags, ServerOptions, withServerFlags } from '../../config/config.ts'
import { shownAddress } from '../../database/address.ts'
import { isMissing } from '../../database/kinds.ts'
import { openDatabase } from '../../database/open.ts'
import { Failure } from '../../failure.ts'
import { productName } from '../../settings/branding.ts'
import { signingKey } from '../../settings/settings.ts'
import {
  isNotThere,
  locate,
  notTakenOver,
  ofCommands,
  requirePlaceFor,
  requireUsable,
  tellLocation,
  withDatabase,
} from '../database.ts'
import { ignoredRedis, notice, print, printJson } from '../output.ts'
import { ownedAsBefore } from '../ownership.ts'
import { UserFlags } from '../users/flags.ts'
import { requireUsableMethod, SettingsFlags, withAuthFlags, withSettingsFlags } from './flags.ts'
import { changeStored, readStored, type Stored } from './stored.ts'
import { settingsText } from './table.ts'

/** Makes a database with the settings given. An existing one is refused. */
export async function configInit(given: Given): Promise<void> {
  const location = locate(given)
  const { address, file, predecessor } = location
  const shown = shownAddress(address)
  if (predecessor !== undefined && isMissing(file)) throw notTakenOver(predecessor)
  requireUsable(location)
  if (!(await isNotThere(location))) throw new Failure('already-exists', `${shown} already exists`)
  // Parsed first: a bad value must not leave an empty database.
  const first = withFlags({ settings: firstSettings(), auth: AuthSettings.parse({}), server: {} }, given)
  await ownedAsBefore(file, async () => {
    requirePlaceFor(location)
    const db = await openDatabase(address, { connections: ofCommands })
    try {
      const stored = await changeStored(db, () => first)
      await signingKey(db)
      if (given.json === 'true') show(stored, given)
      else {
        print(`Created ${shown}\n\n${textOf(stored)}\n`)
        print(`Now add an administrator: filestead users add NAME --perm.admin -d ${shown}`)
      }
    } finally {
      await db.destroy()
    }
  })
  tellLocation(location)
}

/** Changes the settings whose flags were given. */
export const configSet = (given: Given): Promise<void> =>
  withDatabase(given, async ({ db }) => {
    show(await changeStored(db, (stored) => withFlags(stored, given)), given)
  })

export const configCat = (given: Given): Promise<void> =>
  withDatabase(given, async ({ db }) => show(await readStored(db), given))

function show(stored: Stored, { json }: Given): void {
  if (json === 'true') printJson({ ...stored, auth: withoutSecret(stored.auth) })
  else print(textOf(stored))
}

/** Not printed: terminals are recorded and shared. */
const withoutSecret = ({ recaptcha, ...auth }: AuthSettings) => ({
  ...auth,
  recaptcha: recaptcha && { host: recaptcha.host, key: recaptcha.key },
})

const textOf = ({ settings, auth, server }: Stored): string => settingsText(settings, auth, server)

// Parsed together, so that one error lists every bad value.
const AllFlags = z.object({ ...SettingsFlags.shape, ...UserFlags.shape, ...ServerOptions.shape })

function withFlags(stored: Stored, given: Given): Stored {
  const flags = parseFlags(AllFlags, given)
  const settings = withSettingsFlags(stored.settings, flags, flags)
  const auth = withAuthFlags(stored.auth, flags)
  requireUsableMethod(settings, auth)
  const server = withServerFlags(given, stored.server)
  if (given.redisCacheUrl !== undefined) notice(ignoredRedis)
  if (flags.lockPassword !== undefined)
    notice('--lockPassword is not among the defaults: give it to users add or users update')
  if (auth.recaptcha !== null && (auth.recaptcha.key === '' || auth.recaptcha.secret === ''))
    notice('The captcha is off until it has both --recaptcha.key and --recaptcha.secret')
  return { settings, auth, server }
}

/**
 * The defaults of File Browser's `config init`, but for the name: users have every permission but admin, and folders are
 * shown as lists.
 */
const firstSettings = (): Settings =>
  Settings.parse({
    hideLoginButton: false,
    branding: { name: productName },
    defaults: UserDefaults.parse({
      viewMode: 'list',
      redirectAfterCopyMove: false,
      sorting: { by: 'name' },
      perm: {
        admin: false,
        execute: true,
        create: true,
        rename: true,
        modify: true,
        delete: true,
        share: true,
        download: true,
      },
    }),
  })
