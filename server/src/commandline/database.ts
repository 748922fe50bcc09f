import type { Kysely } from 'kysely'
import type { ConfigFile } from '../config/file.ts'
import { configFileFor, databasesIn, type Given } from '../config.ts'
import { isMissing, requireOurs } from '../database/kinds.ts'
import { openDatabase } from '../database/open.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { takeoverIn } from '../takeover/document.ts'
import { notice } from './say.ts'

export { isMissing, requireOurs } from '../database/kinds.ts'

export interface Location {
  readonly file: string
  /** The database of File Browser beside it, where that is the one that was named. */
  readonly predecessor: string | undefined
  readonly configFile: ConfigFile
}

/** Where the database is, as far as the command line, the environment and the config file tell. */
export function locate(given: Given): Location {
  const configFile = configFileFor(given)
  const { ours, predecessor } = databasesIn(given, configFile)
  return { file: ours, predecessor, configFile }
}

/** Told once the work is done: a mistake stands alone, in one line. */
export function tellLocation({ file, configFile: { path, notices } }: Location): void {
  for (const text of notices) notice(text)
  notice(path === undefined ? 'No config file used' : `Using config file: ${path}`)
  notice(`Using database: ${file}`)
}

export interface Opened extends Location {
  readonly db: Kysely<Database>
}

/** Does something with the database that is there, also while a server uses it; `mayMake` makes one where none is. */
export async function withDatabase(
  given: Given,
  work: (opened: Opened) => Promise<void>,
  { mayMake = false } = {},
): Promise<void> {
  const location = locate(given)
  const { file, predecessor } = location
  if (predecessor !== undefined && isMissing(file)) throw notTakenOver(predecessor)
  if (isMissing(file) && !mayMake)
    throw new Failure('not-found', `${file} does not exist. Please run 'filestead config init' first.`)
  requireOurs(file)
  const db = await openDatabase(file)
  try {
    if (predecessor !== undefined && (await takeoverIn(db)) === undefined) throw notTakenOver(predecessor)
    await work({ db, ...location })
  } finally {
    await db.destroy()
  }
  tellLocation(location)
}

/** An empty database beside a full one would look as if everybody and everything were gone. */
export const notTakenOver = (predecessor: string): Failure =>
  new Failure(
    'invalid',
    `${predecessor} is a database of File Browser that has not been taken over yet. Start the server once, or run 'filestead takeover --from ${predecessor}'.`,
  )
