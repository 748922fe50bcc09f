import { User } from '@filestead/contract'
import { storageFor } from '../app.ts'
import { systemClock } from '../clock.ts'
import { type Given, readConfig } from '../config.ts'
import { openDatabase } from '../database/open.ts'
import { settingsReader } from '../settings/settings.ts'
import { documentOf } from '../settings/store.ts'
import { createUser } from '../users/users.ts'
import { userWishes } from './user-options.ts'

export async function usersAdd(database: string, username: string, password: string, given: Given): Promise<void> {
  const db = await openDatabase(database)
  try {
    const settings = await settingsReader(db)()
    const stored = await documentOf(db, 'server')
    const config = readConfig({ ...given, database }, stored === undefined ? {} : JSON.parse(stored.value))
    const deps = { db, clock: systemClock, storageAt: await storageFor(config, db) }
    const wanted = { ...settings.defaults, ...userWishes(given, settings.defaults), username, password }
    const user = await createUser(deps, settings, User.parse(wanted))
    process.stdout.write(`Created user ${user.id}, ${JSON.stringify(user.username)}, scope ${user.scope}\n`)
  } finally {
    await db.destroy()
  }
}
