import { randomUUID } from 'node:crypto'
import { existsSync, linkSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Kysely } from 'kysely'
import { isPostgres, shownAddress } from '../database/address.ts'
import { copyDatabase } from '../database/copying.ts'
import { openDatabase } from '../database/open.ts'
import type { Database } from '../database/schema.ts'
import { holdAlone } from '../database/sqlite/files.ts'
import { databaseFiles } from '../database/sqlite/open.ts'
import { Failure } from '../failure.ts'
import { requireNoServers } from '../nodes/serving.ts'
import { documentOf } from '../settings/store.ts'
import { nameWithTime, syncPath } from './beside.ts'

export interface Moved {
  readonly rows: number
  /** Where the file of the former database is kept. */
  readonly kept: string | undefined
}

/**
 * Puts all that is in one database into another one, which is new. The former one stays as it was, a file under another
 * name: a start that still names it must not go on with it.
 */
export const moveDatabase = (from: string, to: string, now = new Date()): Promise<Moved> =>
  isPostgres(from) ? moveFromServer(from, to) : moveFromFile(from, to, now)

async function moveFromServer(from: string, to: string): Promise<Moved> {
  return withOpened(from, async (source) => {
    await requireNoServers(source)
    return { rows: await moveInto(to, source, () => requireNoServers(source)), kept: undefined }
  })
}

async function moveFromFile(from: string, to: string, now: Date): Promise<Moved> {
  using held = holdAlone(from, () => undefined)
  const copy = `${from}.moving`
  const clear = () => {
    for (const file of databaseFiles(copy)) rmSync(file, { force: true })
  }
  clear()
  try {
    held.copyTo(copy)
    // Opening the copy brings its tables up to date.
    const rows = await withOpened(copy, (source) => moveInto(to, source))
    const kept = nameWithTime(from, 'moved', now)
    for (const file of databaseFiles(from).reverse())
      if (existsSync(file)) renameSync(file, kept + file.slice(from.length))
    syncPath(dirname(from))
    return { rows, kept }
  } finally {
    clear()
  }
}

async function moveInto(to: string, source: Kysely<Database>, after?: () => Promise<void>): Promise<number> {
  // An empty file, which a container is given, cannot be replaced by another one.
  if (!isPostgres(to) && !existsSync(to)) return moveIntoFile(to, source, after)
  const before = async (target: Kysely<Database>) => {
    if ((await documentOf(target, 'settings')) !== undefined) throw inUse(to)
  }
  return withOpened(to, (target) => copyDatabase(source, target, { before, after }))
}

/** The file gets its name when it is whole. */
async function moveIntoFile(to: string, source: Kysely<Database>, after?: () => Promise<void>): Promise<number> {
  const fresh = `${to}.moving-${randomUUID()}`
  try {
    const rows = await withOpened(fresh, (target) => copyDatabase(source, target, { after }))
    syncPath(fresh)
    // Unlike a rename, link fails when the name was taken in the meantime.
    linkSync(fresh, to)
    syncPath(dirname(to))
    return rows
  } catch (error) {
    throw existsSync(to) ? inUse(to) : error
  } finally {
    for (const file of databaseFiles(fresh)) rmSync(file, { force: true })
  }
}

const inUse = (to: string): Failure =>
  new Failure('already-exists', `${shownAddress(to)} is in use already; a move needs a new database`)

async function withOpened<T>(address: string, work: (db: Kysely<Database>) => Promise<T>): Promise<T> {
  const db = await openDatabase(address, { connections: 2, isUnhurried: true })
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}
