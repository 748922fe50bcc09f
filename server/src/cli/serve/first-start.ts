import { randomBytes } from 'node:crypto'
import { Permissions, permissionNames, Settings, User } from '@filestead/contract'
import type { Deps } from '../../app/app.ts'
import { type Given, readFirstStart } from '../../config/config.ts'
import type { ConfigFile } from '../../config/file.ts'
import type { FirstStart } from '../../config/options.ts'
import { nextNumber } from '../../database/counters.ts'
import { durableTransaction } from '../../database/port.ts'
import { Failure } from '../../failure.ts'
import { productName } from '../../settings/branding.ts'
import { documentOf, saveDocument } from '../../settings/store.ts'
import { isPasswordHash } from '../../users/passwords.ts'
import { createUser } from '../../users/users.ts'
import { print, printable, printForSure } from '../output.ts'

/** The options of a first start. Bad values are refused before the database is made. */
export function firstStartIn(flags: Given, file: ConfigFile): FirstStart {
  const first = readFirstStart(flags, file)
  if (first.password !== '' && !isPasswordHash(first.password))
    throw new Failure('invalid', "--password must be a hash; make one with 'filestead hash PASSWORD'")
  if (first.username.trim() === '') throw new Failure('invalid', '--username must not be empty')
  return first
}

/** Writes first settings and an administrator in one transaction, and prints the generated password. */
export async function setUp(deps: Deps, first: FirstStart, server: Given): Promise<void> {
  const password = randomBytes(12).toString('base64url')
  await durableTransaction(deps.db, 'serializable', async (trx) => {
    // Of two servers that start at once the second waits here, and shows no password that will not count.
    await nextNumber(trx, 'probe')
    // Another process may have done it since `isNew` was read.
    if ((await documentOf(trx, 'settings')) !== undefined) return
    const everything = Permissions.parse(Object.fromEntries(permissionNames.map((name) => [name, true])))
    const settings = Settings.parse({
      authMethod: first.noauth ? 'noauth' : 'json',
      branding: { name: productName },
      defaults: { perm: { ...everything, admin: false } },
    })
    await saveDocument(trx, 'settings', settings)
    await saveDocument(trx, 'server', server)
    const { username, password: readyHash } = first
    const admin = User.parse({ ...settings.defaults, username, password, scope: '/', perm: everything })
    // A generated password is on no list of common ones.
    await createUser({ ...deps, db: trx }, settings, admin, { readyHash: readyHash || undefined, isVouchedFor: true })
    if (readyHash !== '')
      return print(`\nUser '${printable(username)}' initialized with the password given with --password\n`)
    // Printed before the commit: after it, a crash or an output that is not read could leave a password that was never
    // seen. The wording is that of File Browser, which scripts search for.
    await printForSure(
      `\nUser '${printable(username)}' initialized with randomly generated password: ${password}\nIt is shown only now.\n`,
    )
  })
}
