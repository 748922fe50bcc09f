import { basename, dirname, join } from 'node:path'
import type { Kysely } from 'kysely'
import type { Config } from './config/config.ts'
import type { Database } from './database/schema.ts'
import { checksOfCommands, type FolderChecks, type KnownMount } from './mounts/checks.ts'
import { storageOfCommands } from './mounts/commands.ts'
import { firstMount } from './mounts/location.ts'
import { keptPlaces, makeSpool, ownPlaces, spoolOf } from './mounts/own-places.ts'
import { allMounts } from './mounts/store.ts'
import { joinNodes } from './nodes/node.ts'
import { cachePlaces } from './previews/cache.ts'
import { addressRules } from './remote-servers.ts'
import { settingsReader } from './settings/settings.ts'
import { draftLedger, moveLedger } from './storage/disk/ledger.ts'
import type { OwnPaths } from './storage/disk/own-files.ts'
import { diskRoots } from './storage/disk/roots.ts'
import { serverFolders } from './storage/disk/server-folders.ts'
import type { Storage } from './storage/port.ts'
import { takeoverIn } from './takeover/document.ts'

export const firstFactsOf = ({ root, followExternalSymlinks }: Config) =>
  ({ folder: root, links: followExternalSymlinks ? 'outside' : 'inside' }) as const

export const ownPlacesOf = async (config: Config, db: Kysely<Database>): Promise<OwnPaths> =>
  ownPlaces(config, { predecessors: await predecessorsOf(config, db), caches: cachePlaces(config) })

/** The database that this one was made from holds the same signing key and password hashes. It may have been moved along. */
async function predecessorsOf({ localFiles }: Config, db: Kysely<Database>): Promise<string[]> {
  const { files = [] } = (await takeoverIn(db)) ?? {}
  return files.flatMap((file) => [file, join(dirname(localFiles), basename(file))])
}

/** The storage of every folder in all mounts, for commands. */
export async function storageFor(config: Config, db: Kysely<Database>): Promise<(base: string) => Storage> {
  const { fileMode, dirMode } = await settingsReader(db).now()
  const node = joinNodes(makeSpool(config))
  const open = diskRoots({
    own: await ownPlacesOf(config, db),
    ledger: draftLedger(db, node),
    moves: moveLedger(db, node),
    modes: () => ({ file: fileMode, folder: dirMode }),
    spool: spoolOf(config),
  })
  return storageOfCommands(await allMounts(db), firstFactsOf(config), open)
}

/** Looks at folders that shall be mounts, for commands. */
export const folderChecksFor = async (config: Config, db: Kysely<Database>): Promise<FolderChecks> =>
  checksBeside(
    config,
    (await allMounts(db)).map((mount) => (mount.id === firstMount ? { ...mount, folder: config.root } : mount)),
  )

export const checksBeside = (config: Config, mounts: readonly KnownMount[]): Promise<FolderChecks> =>
  checksOfCommands(serverFolders(), mounts, {
    own: keptPlaces(config),
    mountable: config.mountable,
    remote: addressRules(config),
  })
