import { resolve } from 'node:path'
import { makeBackup } from '../backups/make.ts'
import { restoreBackup } from '../backups/restore.ts'
import type { Given } from '../config/config.ts'
import { Failure } from '../failure.ts'
import { version } from '../version.ts'
import { isMissing, locate, requireUsable, tellLocation } from './database.ts'
import { noteAsPrivate } from './exports.ts'
import { ownedAsBefore } from './ownership.ts'
import { notice, say } from './say.ts'

/** Also while a server runs. */
export async function backup(target: string, given: Given): Promise<void> {
  const location = locate(given)
  const { file, configFile } = location
  if (isMissing(file)) throw new Failure('not-found', `${file} does not exist, so there is nothing to back up`)
  requireUsable(location)
  const { files } = await ownedAsBefore(file, () => {
    noteAsPrivate(file, target)
    return makeBackup(resolve(target), { database: file, configPath: configFile.path, version })
  })
  tellLocation(location)
  say(`Wrote ${resolve(target)} with ${files.map(({ name }) => name).join(' and ')}`)
  notice('It holds password hashes and the key that signs sign-ins: keep it where nobody else can read it.')
  notice('The served files are not part of it.')
}

/** Only while no server runs. */
export async function restore(source: string, given: Given): Promise<void> {
  const location = locate(given)
  const { file } = location
  requireUsable(location)
  const { manifest, replaced, config } = await ownedAsBefore(file, () => restoreBackup(resolve(source), file))
  say(`Restored ${file} as it was on ${manifest.created}, made by Filestead ${manifest.version}`)
  if (replaced !== undefined) say(`The database that was there is kept as ${replaced}`)
  if (config !== undefined) say(`The config file was ${manifest.configPath}; its copy is ${config}`)
  notice('Everybody has to sign in again.')
}
