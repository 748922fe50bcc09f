import { AuthSettings, Settings, UserDefaults } from '@filestead/contract'
import { z } from 'zod'
import { type Given, parseFlags, ServerOptions, withServerFlags } from '../config/config.ts'
import { isMissing } from '../database/kinds.ts'
import { openDatabase } from '../database/open.ts'
import { Failure } from '../failure.ts'
import { signingKey } from '../settings/settings.ts'
import { locate, notTakenOver, requirePlaceFor, requireUsable, tellLocation, withDatabase } from './database.ts'
import { ownedAsBefore } from './ownership.ts'
import { ignoredRedis, notice, say } from './say.ts'
import { requireUsableMethod, SettingsFlags, withAuthFlags, withSettingsFlags } from './settings-flags.ts'
import { settingsText } from './settings-shown.ts'
import { changeStored, readStored, type Stored } from './stored.ts'
import { UserFlags } from './user-flags.ts'

/** A new database with the settings given; an existing one is never touched. */
export async function configInit(given: Given): Promise<void> {
  const location = locate(given)
  const { file, predecessor } = location
  if (predecessor !== undefined && isMissing(file)) throw notTakenOver(predecessor)
  requireUsable(location)
  if (!isMissing(file)) throw new Failure('already-exists', `${file} already exists`)
  // A bad value is refused before anything is made.
  const first = withFlags({ settings: firstSettings(), auth: AuthSettings.parse({}), server: {} }, given)
  await ownedAsBefore(file, async () => {
    requirePlaceFor(file)
    const db = await openDatabase(file)
    try {
      const stored = await changeStored(db, () => first)
      await signingKey(db)
      say(`Created ${file}\n\n${textOf(stored)}\n`)
      say(`Now add a user: filestead users add NAME PASSWORD --perm.admin -d ${file}`)
    } finally {
      await db.destroy()
    }
  })
  tellLocation(location)
}

/** Changes what the flags name, and only that. */
export const configSet = (given: Given): Promise<void> =>
  withDatabase(given, async ({ db }) => {
    say(textOf(await changeStored(db, (stored) => withFlags(stored, given))))
  })

export const configCat = (given: Given): Promise<void> =>
  withDatabase(given, async ({ db }) => say(textOf(await readStored(db))))

const textOf = ({ settings, auth, server }: Stored): string => settingsText(settings, auth, server)

// Together, so that all mistakes are told at once.
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

/** As File Browser set up an instance by hand: everything is allowed but to rule it, and lists are lists. */
const firstSettings = (): Settings =>
  Settings.parse({
    hideLoginButton: false,
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
