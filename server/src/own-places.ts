import { dirname, join, resolve } from 'node:path'
import { isInside } from '@filestead/contract'
import type { Config } from './config.ts'
import { nameBeside, usualNames } from './database/beside.ts'
import { databaseFiles } from './database/open.ts'
import { cachePlaces } from './previews/cache.ts'
import type { OwnPlaces } from './storage/ours.ts'
import { privateFiles } from './storage/private-files.ts'

/** Where files are written whose folder is closed to us. */
export const spoolOf = ({ database }: Pick<Config, 'database'>): string => `${database}-drafts`

/** What earlier versions left in the folder where the command was run. */
const leftovers = ['users.backup.json']

/**
 * Everything that belongs to the product, and everything that its next start, or the next command in the same folder,
 * would take for its own: whoever could write one of these would decide who the administrator is.
 */
export function ownPlaces(config: Config, predecessors: readonly string[]): OwnPlaces {
  const { database, namedDatabase, workingFolder } = config
  const folders = [...new Set([dirname(database), dirname(namedDatabase), workingFolder])]
  const log = ['', 'stdout', 'stderr'].includes(config.log) ? '' : config.log
  return {
    paths: [
      ...databaseFiles(database),
      spoolOf(config),
      ...cachePlaces(config),
      ...config.configFiles,
      ...(config.socket === '' ? [] : [resolve(config.socket)]),
      // With the databases of other folders in it.
      ...(isInside(config.root, config.stateFolder) ? [] : [config.stateFolder]),
    ],
    families: [
      ...new Set([
        ...[database, namedDatabase].flatMap((file) => [file, nameBeside(file)]),
        ...predecessors,
        ...privateFiles(database),
        ...folders.flatMap((folder) => [...usualNames, ...leftovers].map((name) => join(folder, name))),
        ...config.configFamilies,
        ...[config.cert, config.key, log].filter(Boolean).map((path) => resolve(path)),
      ]),
    ],
  }
}
