import { type Given, knownRoot, readConfig } from '../config/config.ts'
import type { Storage } from '../storage/port.ts'
import { readStored } from './config/stored.ts'
import type { Opened } from './database.ts'

/** The files of all mounts, for commands that look at them; undefined where the served folder is not known. */
export async function storageWhereKnown(
  { db, address, configFile }: Opened,
  { root: given }: Given,
): Promise<((location: string) => Storage) | undefined> {
  const { server } = await readStored(db)
  const root = knownRoot({ root: given }, server, configFile)
  if (root === undefined) return undefined
  // Loads what serves files only where it is needed.
  const { storageFor } = await import('../served-folders.ts')
  return storageFor(readConfig({ root, database: address }, server, configFile), db)
}
