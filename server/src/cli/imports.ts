import { resolve } from 'node:path'
import type { TakeoverChange } from '@filestead/contract'
import { systemClock } from '../clock.ts'
import type { Given } from '../config/config.ts'
import { Failure } from '../failure.ts'
import { signingKey } from '../settings/settings.ts'
import { collectChanges } from '../takeover/changes.ts'
import { listedUsers, sourceInExport } from '../takeover/from-exports.ts'
import { importUsers } from '../takeover/imports.ts'
import { serverWith } from '../takeover/server.ts'
import { authFrom, noteSettings, settingsFrom } from '../takeover/settings.ts'
import { changeLines } from '../takeover/summary.ts'
import { withDatabase } from './database.ts'
import { formatOf, usersText, writePrivately } from './exports.ts'
import { notice, say } from './say.ts'
import { requireUsableMethod } from './settings-flags.ts'
import { settingsText } from './settings-shown.ts'
import { changeStored } from './stored.ts'
import { shown } from './table.ts'

/** All settings as `config export` wrote them, in place of those that are there; makes the database where there is none. */
export async function configImport(name: string, given: Given): Promise<void> {
  formatOf(name)
  const { config } = sourceInExport(resolve(name))
  if (config === undefined) throw new Failure('invalid', `${name} holds users: take them with 'filestead users import'`)
  const changes = collectChanges()
  const settings = settingsFrom(config.settings, changes)
  noteSettings(settings, config.server, changes)
  requireUsableMethod(settings, authFrom(config.auther))
  await withDatabase(
    given,
    async ({ db }) => {
      const stored = await changeStored(db, ({ auth, server }) => ({
        settings,
        auth: { ...authFrom(config.auther), createUsers: auth.createUsers },
        server: serverWith(server, config.server, changes),
      }))
      // That of the file stays with who exported it: with one key in two places, tokens of the one open the other.
      await signingKey(db)
      say(settingsText(stored.settings, stored.auth, stored.server))
      tell(changes.list())
    },
    { mayMake: true },
  )
}

/** Users as `users export` wrote them, or a list by hand in the same form; passwords are hashes. */
export async function usersImport(name: string, given: Given): Promise<void> {
  formatOf(name)
  const listed = listedUsers(resolve(name))
  const isWhole = given.replace === 'true'
  await withDatabase(given, async ({ db, file }) => {
    // Beside the database and under its name: there nobody is shown it.
    const backup = `${file}.users-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.json`
    const changes = await importUsers(db, listed, {
      source: name,
      now: systemClock.unixSeconds(),
      mayOverwrite: given.overwrite === 'true',
      isWhole,
      keep: isWhole ? (before) => writePrivately(backup, usersText(backup, before)) : undefined,
    })
    if (isWhole) notice(`Those who were there before: ${backup}`)
    tell(changes)
  })
}

const tell = (changes: readonly TakeoverChange[]): void => {
  for (const line of changeLines(changes)) notice(shown(line))
}
