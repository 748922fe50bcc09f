import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { Settings, User } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { ZodError } from 'zod'
import { isFromNewerVersion } from '../database/migrations/migrations.ts'
import { openDatabase } from '../database/open.ts'
import type { Database } from '../database/schema.ts'
import { isSound } from '../database/sqlite/files.ts'
import { databaseFiles } from '../database/sqlite/open.ts'
import { Failure } from '../failure.ts'
import { documentOf } from '../settings/store.ts'
import { allUsers } from '../users/store.ts'
import { readArchive } from './archive.ts'
import { syncFolder } from './make.ts'
import { damaged, databaseName, type Manifest, tooNew } from './manifest.ts'
import { holdUnfinished, isFilesteads, renew, type Unfinished } from './store.ts'

export interface Restored {
  readonly manifest: Manifest
  /** Where the database is now that was there before. */
  readonly replaced: string | undefined
  /** Where the config file of the backup was put, if it had one. */
  readonly config: string | undefined
}

/** Puts the database of a backup in the place of another, which is kept beside it. Until the last step nothing changes. */
export async function restoreBackup(source: string, database: string, now = new Date()): Promise<Restored> {
  if (!existsSync(source)) throw new Failure('not-found', `${source} does not exist`)
  mkdirSync(dirname(database), { recursive: true, mode: 0o700 })
  const fresh = `${database}.restoring`
  const freshConfig = `${fresh}-config`
  const clear = () => {
    for (const file of [...databaseFiles(fresh), freshConfig]) rmSync(file, { force: true })
  }
  clear()
  try {
    const manifest = await readArchive(source, requireOldEnough, (name) =>
      name === databaseName ? fresh : freshConfig,
    )
    if (!isSound(fresh) || !isFilesteads(fresh, manifest.migrations)) throw damaged()
    const replaced = isEmpty(database) ? await putFirst(database, fresh, now) : await swap(database, fresh, now)
    return { manifest, replaced, config: keepConfig(manifest, freshConfig, database) }
  } catch (error) {
    throw error instanceof Failure && error.code === 'invalid'
      ? new Failure('invalid', `${source}: ${error.message}`)
      : error
  } finally {
    clear()
  }
}

/** Or not there at all: containers prepare a place for a database with an empty file. */
const isEmpty = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0

function requireOldEnough({ migrations, version }: Manifest): void {
  if (isFromNewerVersion(migrations)) throw tooNew(version)
}

async function swap(database: string, fresh: string, now: Date): Promise<string> {
  using held = holdUnfinished(database)
  await bringUpToDate(fresh, held.unfinished, now)
  const replaced = `${database}.replaced-${now.toISOString().slice(0, 19).replaceAll(':', '-')}`
  if (existsSync(replaced)) throw new Failure('already-exists', `${replaced} exists already; try again in a second`)
  // The companions first: alone they mean nothing, but beside another database they would be taken for its own.
  for (const file of databaseFiles(database).reverse())
    if (isEmpty(file)) rmSync(file, { force: true })
    else renameSync(file, replaced + file.slice(database.length))
  renameSync(fresh, database)
  syncFolder(dirname(database))
  return replaced
}

async function putFirst(database: string, fresh: string, now: Date): Promise<undefined> {
  await bringUpToDate(fresh, { drafts: [], leaving: [], uploads: [] }, now)
  renameSync(fresh, database)
  syncFolder(dirname(database))
  return undefined
}

async function bringUpToDate(file: string, unfinished: Unfinished, now: Date): Promise<void> {
  try {
    const db = await openDatabase(file)
    try {
      await renew(db, unfinished, Math.floor(now.getTime() / 1000))
      await requireUsable(db)
    } finally {
      await db.destroy()
    }
  } catch (error) {
    // What is missing or makes no sense; a full disk, say, is told as it is.
    const { code } = error as { code?: string }
    throw error instanceof SyntaxError || error instanceof ZodError || code?.startsWith('SQLITE_ERROR')
      ? damaged()
      : error
  }
}

/** The database has an administrator who can sign in. */
async function requireUsable(db: Kysely<Database>): Promise<void> {
  const settings = await documentOf(db, 'settings')
  if (settings === undefined) throw damaged()
  Settings.parse(JSON.parse(settings.value))
  const users = (await allUsers(db)).map((user) => User.parse(user))
  if (!users.some(({ perm }) => perm.admin))
    throw new Failure('invalid', 'the backup holds no administrator: nobody could look after the server')
}

function keepConfig({ configPath }: Manifest, fresh: string, database: string): string | undefined {
  if (configPath === undefined) return undefined
  const place = `${database}.config${extname(configPath)}`
  renameSync(fresh, place)
  return place
}
