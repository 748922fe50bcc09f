import { mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isInside } from '@filestead/contract'
import type { Config } from '../config/config.ts'
import { defaultNames, nameBeside } from '../config/databases.ts'
import { databaseFiles } from '../database/sqlite/open.ts'
import type { OwnPaths } from '../storage/disk/own-files.ts'

/** Where files are written whose folder the server may not write to. */
export const spoolOf = ({ localFiles }: Pick<Config, 'localFiles'>): string => `${localFiles}-drafts`

/** A server that cannot make its spool, as on a full disk, still serves. */
export function makeSpool(config: Config): string {
  const spool = spoolOf(config)
  try {
    mkdirSync(spool, { recursive: true, mode: 0o700 })
  } catch {}
  return spool
}

/** What must not lie in a folder that is mounted, as far as it is there. */
export const keptPlaces = (config: Config): string[] => [
  ...new Set([
    ...[config.localFiles, config.namedDatabase, spoolOf(config), config.stateFolder, config.keysFolder],
    ...(config.cacheDir === '' ? [] : [config.cacheDir]),
    ...config.configFiles,
  ]),
]

/** Files that earlier versions left in the folder where the command was run. */
const leftovers = ['users.backup.json']

/**
 * Everything that belongs to the product, and everything that its next start, or the next command in the same folder,
 * would take for its own: a user who could write one of these could become the administrator.
 */
export function ownPlaces(
  config: Config,
  { predecessors, caches }: { predecessors: readonly string[]; caches: readonly string[] },
): OwnPaths {
  const { localFiles, namedDatabase, workingFolder } = config
  const folders = [...new Set([dirname(localFiles), dirname(namedDatabase), workingFolder])]
  const log = ['', 'stdout', 'stderr'].includes(config.log) ? '' : config.log
  return {
    paths: [
      ...databaseFiles(localFiles),
      spoolOf(config),
      ...caches,
      ...config.configFiles,
      config.keysFolder,
      ...(config.socket === '' ? [] : [resolve(config.socket)]),
      // With the databases of other folders in it.
      ...(isInside(config.root, config.stateFolder) ? [] : [config.stateFolder]),
    ],
    families: [
      ...new Set([
        ...[localFiles, namedDatabase].flatMap((file) => [file, nameBeside(file)]),
        ...predecessors,
        ...folders.flatMap((folder) => [...defaultNames, ...leftovers].map((name) => join(folder, name))),
        ...config.configFamilies,
        ...[config.cert, config.key, log].filter(Boolean).map((path) => resolve(path)),
      ]),
    ],
    listedBeside: [localFiles],
  }
}
