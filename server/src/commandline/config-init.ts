import { existsSync } from 'node:fs'
import { Settings, UserDefaults } from '@filestead/contract'
import { databaseIn, type Given, readConfig, ServerOptions } from '../config.ts'
import { openDatabase } from '../database/open.ts'
import { initialiseSettings, signingKey } from '../settings/settings.ts'
import { saveDocument } from '../settings/store.ts'
import { userWishes } from './user-options.ts'

/** What every user may do who is not told otherwise: all but rule the instance. */
const usualRights = {
  admin: false,
  execute: true,
  create: true,
  rename: true,
  modify: true,
  delete: true,
  share: true,
  download: true,
}

/** A new database with the settings given; an existing one is never touched. */
export async function configInit(given: Given): Promise<void> {
  const file = databaseIn(given)
  if (existsSync(file)) throw new Error(`${file} already exists`)
  readConfig(given, {}) // A bad value is refused before anything is made.
  const base = UserDefaults.parse({
    viewMode: 'list',
    redirectAfterCopyMove: false,
    perm: usualRights,
    sorting: { by: 'name' },
  })
  const defaults = { ...base, ...userWishes(given, base) }
  const db = await openDatabase(file)
  await initialiseSettings(db, Settings.parse({ hideLoginButton: false, defaults }))
  await saveDocument(db, 'server', serverPart(given))
  await signingKey(db)
  await db.destroy()
  process.stdout.write(`Created ${file}\nNow add a user: filestead users add NAME PASSWORD --perm.admin -d ${file}\n`)
}

const serverPart = (given: Given): Given =>
  Object.fromEntries(
    Object.keys(ServerOptions.shape).flatMap((key) => (given[key] === undefined ? [] : [[key, given[key]]])),
  )
