import { resolve } from 'node:path'
import type { TakeoverChange } from '@filestead/contract'
import { systemClock } from '../clock.ts'
import type { Given } from '../config/config.ts'
import { Failure } from '../failure.ts'
import { signingKey } from '../settings/settings.ts'
import { collectChanges } from '../takeover/changes.ts'
import { listedUsers, sourceInExport } from '../takeover/from-exports.ts'
import { importUsers } from '../takeover/import-users.ts'
import { serverWith } from '../takeover/server.ts'
import { authFrom, noteSettings, settingsFrom } from '../takeover/settings.ts'
import { changeLines } from '../takeover/summary.ts'
import { requireUsableMethod } from './config/flags.ts'
import { changeStored } from './config/stored.ts'
import { settingsText } from './config/table.ts'
import { withDatabase } from './database.ts'
import { formatOf, usersText, writePrivately } from './export.ts'
import { notice, print, printable } from './output.ts'

/** Replaces all settings by those of a `config export`; makes the database where there is none. */
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
      // The key of the export is not taken: with one key on two servers, tokens of one open the other.
      await signingKey(db)
      print(settingsText(stored.settings, stored.auth, stored.server))
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
    // Files beside the database that begin with its name are never served.
    const backup = `${file}.users-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.json`
    const changes = await importUsers(db, listed, {
      source: name,
      now: systemClock.unixSeconds(),
      mayOverwrite: given.overwrite === 'true',
      isWhole,
      keep: isWhole ? (before) => writePrivately(backup, usersText(backup, before)) : undefined,
    })
    if (isWhole) notice(`The users before the import are kept in ${backup}`)
    tell(changes)
  })
}

const tell = (changes: readonly TakeoverChange[]): void => {
  for (const line of changeLines(changes)) notice(printable(line))
}
