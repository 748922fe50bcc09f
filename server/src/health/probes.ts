import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Kysely } from 'kysely'
import { isBusy } from '../database/refusals.ts'
import type { Database } from '../database/schema.ts'
import { Failure, isFailure } from '../failure.ts'
import type { Finding, Probe } from './condition.ts'
import { readProbe, writeProbe } from './store.ts'

/** All of them, one after the other; the first that finds something tells. */
export const oneByOne =
  (...probes: readonly Probe[]): Probe =>
  async () => {
    for (const probe of probes) {
      const finding = await probe()
      if (finding !== undefined) return finding
    }
    return undefined
  }

const full = 'The disk of the database is full'
/** In bytes: a few pages of the log of SQLite. */
const least = 65_536

async function isFull(file: string): Promise<boolean> {
  if (file === ':memory:') return false
  const disk = await statfs(dirname(file)).catch(() => undefined)
  return disk !== undefined && disk.bavail * disk.bsize < least
}

/** A lock that another program holds no longer than this, in milliseconds, is a matter of course. */
const usualLock = 5000

/** Can the database be read and written, and is it still the one that we opened? Found out by doing it. */
export function databaseProbe(db: Kysely<Database>, file: string): Probe {
  const tryToRead = readProbe(db)
  const tryToWrite = writeProbe(db)
  let lockedSince: number | undefined
  return async () => {
    try {
      await tryToRead()
    } catch {
      return 'The database cannot be read'
    }
    try {
      tryToWrite()
      lockedSince = undefined
      // One number may still find room where nothing else does.
      return (await isFull(file)) ? full : undefined
    } catch (error) {
      if (error instanceof Failure && error.cause === undefined) return error.message
      if (isFailure(error, 'no-space')) return full
      if (!isBusy((error as Error).cause)) return 'The database cannot be written'
      lockedSince ??= Date.now()
      return Date.now() - lockedSince < usualLock ? undefined : 'Another program keeps the database locked'
    }
  }
}

/** Is the served folder there, and still on the volume that it was on? */
export function storageProbe(root: string, look: (path: string) => Promise<Looked> = stat): Probe {
  let wasMounted = false
  return async (): Promise<Finding> => {
    const [found, above] = await Promise.all([root, join(root, '..')].map((path) => look(path).catch(() => undefined)))
    if (found === undefined || !found.isDirectory()) return 'The served folder is not there'
    const isMounted = above !== undefined && above.dev !== found.dev
    // The folder that a volume was mounted on stays behind, empty: to everybody else it looks as if all files were gone.
    if (wasMounted && !isMounted) return 'The volume of the served folder is not mounted any more'
    wasMounted ||= isMounted
    return (await may(root, constants.R_OK | constants.X_OK)) ? undefined : 'The served folder cannot be read'
  }
}

interface Looked {
  dev: number
  isDirectory(): boolean
}

const may = (path: string, mode: number): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  )
