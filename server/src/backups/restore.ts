import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, extname } from 'node:path'
import { Settings, User } from '@filestead/contract'
import type { Kysely } from 'kysely'
import { ZodError } from 'zod'
import type { Databases } from '../config/databases.ts'
import { isPostgres } from '../database/address.ts'
import { copyDatabase } from '../database/copying.ts'
import { isFromNewerVersion } from '../database/migrations/migrations.ts'
import { openDatabase } from '../database/open.ts'
import type { Database } from '../database/schema.ts'
import { isSound } from '../database/sqlite/files.ts'
import { databaseFiles } from '../database/sqlite/open.ts'
import { Failure } from '../failure.ts'
import { requireNoServers } from '../nodes/serving.ts'
import { documentOf } from '../settings/store.ts'
import { allUsers } from '../users/store.ts'
import { version } from '../version.ts'
import { readArchive } from './archive.ts'
import { nameWithTime, syncPath } from './beside.ts'
import { makeBackup } from './make.ts'
import { damaged, databaseName, type Manifest, tooNew } from './manifest.ts'
import {
  hasMigrations,
  lockForRestore,
  nothingUnfinished,
  resetSessionsAndDrafts,
  type Unfinished,
  unfinishedIn,
} from './store.ts'

export interface Restored {
  readonly manifest: Manifest
  /** The path to which the former database was moved. */
  readonly replaced: string | undefined
  /** The path of the restored config file, if the backup had one. */
  readonly config: string | undefined
}

/** Replaces a database by that of a backup, and keeps the old one beside it. Nothing changes before the last step. */
export async function restoreBackup(
  source: string,
  { address, file: database }: Pick<Databases, 'address' | 'file'>,
  now = new Date(),
): Promise<Restored> {
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
    if (!isSound(fresh) || !hasMigrations(fresh, manifest.migrations)) throw damaged()
    const replaced = isPostgres(address)
      ? await fillServer(address, fresh, database, now)
      : isEmpty(database)
        ? await putNew(database, fresh, now)
        : await swap(database, fresh, now)
    return { manifest, replaced, config: keepConfig(manifest, freshConfig, database) }
  } catch (error) {
    throw error instanceof Failure && error.code === 'invalid'
      ? new Failure('invalid', `${source}: ${error.message}`)
      : error
  } finally {
    clear()
  }
}

/** Empty or missing: containers are given an empty file to mount. */
const isEmpty = (file: string): boolean => (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0

function requireOldEnough({ migrations, version }: Manifest): void {
  if (isFromNewerVersion(migrations)) throw tooNew(version)
}

async function swap(database: string, fresh: string, now: Date): Promise<string> {
  using held = lockForRestore(database)
  await prepare(fresh, held.unfinished, now)
  const replaced = nameWithTime(database, 'replaced', now)
  // The -wal and -shm files first: SQLite would apply them to whatever database is beside them.
  for (const file of databaseFiles(database).reverse())
    if (isEmpty(file)) rmSync(file, { force: true })
    else renameSync(file, replaced + file.slice(database.length))
  renameSync(fresh, database)
  syncPath(dirname(database))
  return replaced
}

async function putNew(database: string, fresh: string, now: Date): Promise<undefined> {
  await prepare(fresh, nothingUnfinished, now)
  renameSync(fresh, database)
  syncPath(dirname(database))
  return undefined
}

/** A server has no file that could be kept: what was in its database is kept as a backup. */
async function fillServer(address: string, fresh: string, beside: string, now: Date): Promise<string | undefined> {
  const target = await openDatabase(address, { connections: 2, isUnhurried: true })
  try {
    await requireNoServers(target)
    const isNew = (await documentOf(target, 'settings')) === undefined
    const replaced = isNew ? undefined : `${nameWithTime(beside, 'replaced', now)}.tar.gz`
    if (replaced !== undefined) await makeBackup(replaced, { database: address, configPath: undefined, version })
    await prepare(fresh, await unfinishedIn(target), now)
    const source = await openDatabase(fresh)
    try {
      await copyDatabase(source, target, { after: () => requireNoServers(target) })
    } finally {
      await source.destroy()
    }
    return replaced
  } finally {
    await target.destroy()
  }
}

async function prepare(file: string, unfinished: Unfinished, now: Date): Promise<void> {
  try {
    const db = await openDatabase(file)
    try {
      await resetSessionsAndDrafts(db, unfinished, Math.floor(now.getTime() / 1000))
      await requireUsable(db)
    } finally {
      await db.destroy()
    }
  } catch (error) {
    // Missing tables and invalid values mean damage; other errors, such as a full disk, are passed on.
    const { code } = error as { code?: string }
    throw error instanceof SyntaxError || error instanceof ZodError || code?.startsWith('SQLITE_ERROR')
      ? damaged()
      : error
  }
}

/** Refuses a database without settings or an administrator. */
async function requireUsable(db: Kysely<Database>): Promise<void> {
  const settings = await documentOf(db, 'settings')
  if (settings === undefined) throw damaged()
  Settings.parse(JSON.parse(settings.value))
  const users = (await allUsers(db)).map((user) => User.parse(user))
  if (!users.some(({ perm }) => perm.admin))
    throw new Failure('invalid', 'the backup holds no administrator: nobody could manage the server')
}

function keepConfig({ configPath }: Manifest, fresh: string, database: string): string | undefined {
  if (configPath === undefined) return undefined
  const place = `${database}.config${extname(configPath)}`
  renameSync(fresh, place)
  return place
}
