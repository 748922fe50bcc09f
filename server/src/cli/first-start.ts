import { randomBytes } from 'node:crypto'
import { Permissions, permissionNames, Settings, User } from '@filestead/contract'
import type { Deps } from '../app.ts'
import { type Given, readFirstStart } from '../config/config.ts'
import type { ConfigFile } from '../config/file.ts'
import type { FirstStart } from '../config/options.ts'
import { durableTransaction } from '../database/port.ts'
import { Failure } from '../failure.ts'
import { documentOf, saveDocument } from '../settings/store.ts'
import { isPasswordHash } from '../users/passwords.ts'
import { createUser } from '../users/users.ts'
import { say } from './say.ts'
import { shown } from './table.ts'

/** What was asked for, refused before anything is made when it could not work. */
export function firstStartIn(flags: Given, file: ConfigFile): FirstStart {
  const first = readFirstStart(flags, file)
  if (first.password !== '' && !isPasswordHash(first.password))
    throw new Failure('invalid', "--password must be a hash; make one with 'filestead hash PASSWORD'")
  if (first.username.trim() === '') throw new Failure('invalid', '--username must not be empty')
  return first
}

/** Usable settings and an administrator, whose password is shown once unless it was given. All of it or nothing. */
export async function setUp(deps: Deps, first: FirstStart, server: Given): Promise<void> {
  const password = randomBytes(12).toString('base64url')
  await durableTransaction(deps.db, 'serializable', async (trx) => {
    // Another process may have been faster.
    if ((await documentOf(trx, 'settings')) !== undefined) return
    const everything = Permissions.parse(Object.fromEntries(permissionNames.map((name) => [name, true])))
    const settings = Settings.parse({
      authMethod: first.noauth ? 'noauth' : 'json',
      defaults: { perm: { ...everything, admin: false } },
    })
    await saveDocument(trx, 'settings', settings)
    await saveDocument(trx, 'server', server)
    const { username, password: readyHash } = first
    const admin = User.parse({ ...settings.defaults, username, password, scope: '/', perm: everything })
    await createUser({ ...deps, db: trx }, settings, admin, { readyHash: readyHash || undefined })
    // Shown before the transaction is committed: the other way round, a crash could leave a password that was never shown.
    // In the words of File Browser: people, and the scripts that set it up, look for them.
    say(
      readyHash === ''
        ? `\nUser '${shown(username)}' initialized with randomly generated password: ${password}\nIt is shown only now.\n`
        : `\nUser '${shown(username)}' initialized with the password given with --password\n`,
    )
  })
}
