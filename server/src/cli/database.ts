import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Kysely } from 'kysely'
import { configFileFor, databasesIn, type Given } from '../config/config.ts'
import { type Databases, isInFile } from '../config/databases.ts'
import type { ConfigFile } from '../config/file.ts'
import { shownAddress } from '../database/address.ts'
import { isFile, isMissing, requireSqliteFile } from '../database/kinds.ts'
import { openDatabase } from '../database/open.ts'
import type { Database } from '../database/schema.ts'
import { mayChange, mayEnter, mayRead, nearestFolder } from '../doctor/access.ts'
import { Failure } from '../failure.ts'
import { accountName, nameOf } from '../storage/linux/account.ts'
import { takeoverIn } from '../takeover/document.ts'
import { notice, warn } from './output.ts'
import { ownedAsBefore } from './ownership.ts'
import { firstLook } from './stored-options.ts'

export { isMissing } from '../database/kinds.ts'

export interface Location extends Databases {
  readonly configFile: ConfigFile
}

/** Finds the database by flags, environment and config file. */
export function locate(given: Given): Location {
  const configFile = configFileFor(given)
  return { ...databasesIn(given, configFile), configFile }
}

/**
 * Refuses a file in a folder that this account may not enter: it would look as if there were none, as when an operator
 * forgets to run a command as the account of the service.
 */
export function requireVisible(databases: Databases): void {
  if (!isInFile(databases)) return
  const { file } = databases
  const folder = nearestFolder(dirname(file))
  if (!mayEnter(folder))
    throw new Failure(
      'forbidden',
      `Account ${accountName()} may not enter ${folder}, where the database ${file} is looked for. Run the command as account ${ownerOf(folder)}, or name another file with --database.`,
    )
}

/** Refuses a file that is no database of Filestead, or was not named and may belong to another server. */
export function requireUsable(databases: Databases): void {
  if (!isInFile(databases)) return
  const { file, isUntrusted } = databases
  if (isFile(file) && !mayRead(file))
    throw new Failure(
      'forbidden',
      `Account ${accountName()} may not read the database ${file}, which belongs to ${ownerOf(file)}. Start as that account, or give the file to this one.`,
    )
  requireSqliteFile(file)
  if (isUntrusted)
    throw new Failure(
      'invalid',
      `${file} is a database of Filestead that was not named. Say -d ${file} if it is the one you mean; otherwise move it away.`,
    )
}

const ownerOf = (path: string): string => nameOf(String(statSync(path).uid))

/** Makes the folder of a new database; an error names the account and the folder instead of an errno. */
export function requirePlaceFor(databases: Databases): void {
  if (!isInFile(databases)) return
  const { file } = databases
  const folder = dirname(file)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new Failure('forbidden', cannotMake(file, nearestFolder(folder)), { cause })
  }
  if (!mayChange(folder)) throw new Failure('forbidden', cannotMake(file, folder))
}

const cannotMake = (file: string, folder: string): string =>
  `The database ${file} cannot be made: account ${accountName()} may not write into ${folder}. Name another place with --database.`

export const ignoredText = (used: string, file: string): string =>
  `${file} is not used: the database of this folder is ${used}. Say -d ${file} if that is the one you mean.`

/** Printed after the work, so that an error is the only line. */
export function tellLocation({ address, file, ignored, configFile: { path, notices } }: Location): void {
  for (const text of notices) warn(text)
  for (const other of ignored) warn(ignoredText(file, other))
  notice(path === undefined ? 'No config file used' : `Using config file: ${path}`)
  notice(`Using database: ${shownAddress(address)}`)
}

export interface Opened extends Location {
  readonly db: Kysely<Database>
}

/** Opens the database for `work`, also while a server uses it; with `mayMake` a missing one is made. */
export async function withDatabase(
  given: Given,
  work: (opened: Opened) => Promise<void>,
  { mayMake = false } = {},
): Promise<void> {
  const location = locate(given)
  const { address, file, predecessor } = location
  if (predecessor !== undefined && isMissing(file)) throw notTakenOver(predecessor)
  requireVisible(location)
  const isAbsent = await isNotThere(location)
  if (isAbsent && !mayMake) throw new Failure('not-found', absentText(location))
  requireUsable(location)
  await ownedAsBefore(file, async () => {
    if (isAbsent) requirePlaceFor(location)
    const db = await openDatabase(address, { connections: ofCommands })
    try {
      if (predecessor !== undefined && (await takeoverIn(db)) === undefined) throw notTakenOver(predecessor)
      await work({ db, ...location })
    } finally {
      await db.destroy()
    }
  })
  tellLocation(location)
}

/** Commands do one thing after another. */
export const ofCommands = 2

/** Is there no database yet, or none with settings? */
export const isNotThere = async (databases: Databases): Promise<boolean> =>
  isInFile(databases) ? isMissing(databases.file) : (await firstLook(databases)).isNew

const absentText = (databases: Databases): string =>
  `${shownAddress(databases.address)} ${isInFile(databases) ? 'does not exist' : 'is empty'}. Please run 'filestead config init' first.`

/** A new database beside the old one would look as if all users and settings were lost. */
export const notTakenOver = (predecessor: string): Failure =>
  new Failure(
    'invalid',
    `${predecessor} is a database of File Browser that has not been taken over yet. Start the server once, or run 'filestead takeover --from ${predecessor}'.`,
  )
