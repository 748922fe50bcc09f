import { resolve } from 'node:path'
import { makeBackup } from '../backups/make.ts'
import { restoreBackup } from '../backups/restore.ts'
import type { Given } from '../config/config.ts'
import { shownAddress } from '../database/address.ts'
import { Failure } from '../failure.ts'
import { version } from '../version.ts'
import { isNotThere, locate, requireUsable, requireVisible, tellLocation } from './database.ts'
import { noteAsPrivate } from './export.ts'
import { notice, print } from './output.ts'
import { ownedAsBefore } from './ownership.ts'
import { reasonOf } from './system-errors.ts'

/** Writes a backup. A running server is not disturbed. */
export async function backup(target: string, given: Given): Promise<void> {
  const location = locate(given)
  const { address, file, configFile } = location
  requireVisible(location)
  if (await isNotThere(location))
    throw new Failure('not-found', `${shownAddress(address)} does not exist, so there is nothing to back up`)
  requireUsable(location)
  const { files } = await ownedAsBefore(file, () => {
    noteAsPrivate(file, target)
    return makeBackup(resolve(target), { database: address, configPath: configFile.path, version }).catch(
      (error: unknown) => {
        const reason = reasonOf(error)
        throw reason === undefined
          ? error
          : new Failure('forbidden', `The backup ${resolve(target)} cannot be written: ${reason}. Name another place`)
      },
    )
  })
  tellLocation(location)
  print(`Wrote ${resolve(target)} with ${files.map(({ name }) => name).join(' and ')}`)
  notice('It holds password hashes and the key that signs sign-ins: keep it private.')
  notice('The served files are not part of it.')
}

/** Puts a backup in place of the database. Refused while a server runs. */
export async function restore(source: string, given: Given): Promise<void> {
  const location = locate(given)
  const { address, file } = location
  requireVisible(location)
  requireUsable(location)
  const { manifest, replaced, config } = await ownedAsBefore(file, () => restoreBackup(resolve(source), location))
  print(`Restored ${shownAddress(address)} as it was on ${manifest.created}, made by Filestead ${manifest.version}`)
  if (replaced !== undefined) print(`The database that was there is kept as ${replaced}`)
  if (config !== undefined) print(`The config file was ${manifest.configPath}; its copy is ${config}`)
  notice('Everybody has to sign in again.')
}
