import { closeSync, fchmodSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { dirname, extname, resolve } from 'node:path'
import type { Given } from '../config/config.ts'
import { Failure } from '../failure.ts'
import { hasGrants } from '../grants/store.ts'
import { allGroupFacts } from '../groups/store.ts'
import { allMounts } from '../mounts/store.ts'
import { signingKey } from '../settings/settings.ts'
import { notePrivate } from '../storage/disk/private-files.ts'
import { asOldYaml, isUsableThere, oldConfigOf, oldUserOf } from '../takeover/export-format.ts'
import { type Account, allAccounts } from '../users/store.ts'
import { readStored } from './config/stored.ts'
import { withDatabase } from './database.ts'
import { notice, printable, warn } from './output.ts'

/** All settings, in the form that File Browser imports. */
export const configExport = (file: string, given: Given): Promise<void> =>
  withDatabase(given, async ({ db, file: database }) => {
    const format = formatOf(file)
    const { settings, auth, server } = await readStored(db)
    const key = Buffer.from(await signingKey(db)).toString('base64')
    noteAsPrivate(database, file)
    writePrivately(file, format(oldConfigOf(settings, auth, server, key)))
    if ((await allMounts(db)).length > 1 || (await allGroupFacts(db)).length > 0 || (await hasGrants(db)))
      notice("Root folders, groups and grants are written by 'filestead access export'")
  })

/** All users with their hashes, in the form that File Browser imports. */
export const usersExport = (file: string, given: Given): Promise<void> =>
  withDatabase(given, async ({ db, file: database }) => {
    formatOf(file)
    const accounts = await allAccounts(db)
    noteAsPrivate(database, file)
    writePrivately(file, usersText(file, accounts))
    const unusable = accounts.filter((account) => !isUsableThere(account)).map(({ user }) => printable(user.username))
    if (unusable.length > 0)
      notice(`File Browser cannot check the passwords of ${unusable.join(', ')}: they need new ones there`)
  })

export const usersText = (file: string, accounts: readonly Account[]): string => formatOf(file)(accounts.map(oldUserOf))

type Format = (value: unknown) => string

const formats: Readonly<Record<string, Format>> = {
  '.json': (value) => `${JSON.stringify(value, null, 4)}\n`,
  '.yaml': asOldYaml,
  '.yml': asOldYaml,
}

/** The format by the extension; others are refused before anything is read or written. */
export function formatOf(file: string): Format {
  const end = extname(file).toLowerCase()
  const format = formats[end]
  if (format === undefined) throw new Failure('invalid', `invalid format: ${end || file}; use .json, .yaml or .yml`)
  return format
}

/** Registers a file as never to be served. Called before the file is written, so that it is never visible. */
export function noteAsPrivate(database: string, file: string): void {
  try {
    // The files of this machine may have no folder yet where the database is elsewhere.
    mkdirSync(dirname(database), { recursive: true, mode: 0o700 })
    notePrivate(database, resolve(file))
  } catch (error) {
    warn(`The server does not know of ${file}: ${(error as Error).message}. Keep it out of the served folder.`)
  }
}

/** Writes with mode 0600, also where the file exists with another mode. */
export function writePrivately(file: string, text: string): void {
  const fd = openSync(file, 'w', 0o600)
  try {
    fchmodSync(fd, 0o600)
    writeFileSync(fd, text)
  } finally {
    closeSync(fd)
  }
}
