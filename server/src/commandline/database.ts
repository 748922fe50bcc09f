import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import type { Kysely } from 'kysely'
import type { ConfigFile } from '../config/file.ts'
import { configFileFor, databaseIn, type Given } from '../config.ts'
import { openDatabase } from '../database/open.ts'
import type { Database } from '../database/schema.ts'
import { Failure } from '../failure.ts'
import { notice } from './say.ts'

/** An empty file is none: that is how containers prepare a place for one. */
export const isMissing = (file: string): boolean => !existsSync(file) || statSync(file).size === 0

export interface Location {
  readonly file: string
  readonly configFile: ConfigFile
}

/** Where the database is, as far as the command line, the environment and the config file tell. */
export function locate(given: Given): Location {
  const configFile = configFileFor(given)
  return { file: databaseIn(given, configFile), configFile }
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

/** Does something with the database that is there, also while a server uses it. */
export async function withDatabase(given: Given, work: (opened: Opened) => Promise<void>): Promise<void> {
  const location = locate(given)
  const { file } = location
  if (isMissing(file))
    throw new Failure('not-found', `${file} does not exist. Please run 'filestead config init' first.`)
  requireOurs(file)
  const db = await openDatabase(file)
  try {
    await work({ db, ...location })
  } finally {
    await db.destroy()
  }
  tellLocation(location)
}

/** Refuses a file of somebody else before anything is written to it. */
export function requireOurs(file: string): void {
  if (isMissing(file)) return
  const head = headOf(file)
  if (head.toString('latin1', 0, 16) === 'SQLite format 3\0') return
  if (head.readUInt32LE(16) === boltMagic)
    throw new Failure(
      'invalid',
      `${file} is a database of File Browser, which cannot be imported yet. It was left as it is; name another file with -d.`,
    )
  throw new Failure('invalid', `${file} is not a database of Filestead`)
}

const boltMagic = 0xed0cdaed

function headOf(file: string): Buffer {
  const head = Buffer.alloc(20)
  try {
    const opened = openSync(file, 'r')
    try {
      readSync(opened, head)
    } finally {
      closeSync(opened)
    }
  } catch {
    throw new Failure('invalid', `${file} cannot be read`)
  }
  return head
}
