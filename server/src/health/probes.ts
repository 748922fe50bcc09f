import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { sqliteOf } from '../database/open.ts'
import type { Database } from '../database/schema.ts'
import type { Finding, Probe } from './condition.ts'

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

/** Can the database be read and written, and is it still the one that we opened? */
export function databaseProbe(db: Kysely<Database>, file: string): Probe {
  const opening = stat(file).catch(() => undefined)
  return async () => {
    try {
      sqliteOf(db)?.query('select name from setting limit 1').get()
    } catch {
      return 'The database cannot be read'
    }
    if (file === ':memory:') return undefined
    const [opened, found] = await Promise.all([opening, stat(file).catch(() => undefined)])
    // SQLite goes on with a file that has no name any more, and everything is lost with the next stop.
    if (found === undefined || opened === undefined || found.ino !== opened.ino || found.dev !== opened.dev)
      return 'The file of the database has been removed or replaced'
    return (await may(file, constants.W_OK)) ? undefined : 'The database cannot be written'
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
