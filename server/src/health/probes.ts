import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { probe } from '../database/port.ts'
import type { Database } from '../database/schema.ts'
import type { Node } from '../nodes/node.ts'
import type { Finding, Probe } from './check.ts'

/** Runs the probes in order until one fails. */
export const firstFailing =
  (...probes: readonly Probe[]): Probe =>
  async () => {
    for (const probe of probes) {
      const finding = await probe()
      if (finding !== undefined) return finding
    }
    return undefined
  }

const texts = {
  unreadable: 'The database cannot be read',
  replaced: 'The file of the database has been removed or replaced',
  full: 'The disk of the database is full',
  locked: 'Another program keeps the database locked',
  unwritable: 'The database cannot be written',
  away: 'The database does not answer',
}

/** In milliseconds: a backup or another program may lock the database for so long. */
const toleratedLock = 5000
/** In milliseconds: while it is locked, it is looked at so often, whether or not anyone asks. */
const lookAgainAfter = 1000

/** Reads and writes the database, and checks that its file is still the one that was opened. */
export function databaseProbe(
  db: Kysely<Database>,
  {
    look = probe,
    now = () => performance.now(),
    later = (work: () => void) => void setTimeout(work, lookAgainAfter).unref(),
  }: { look?: typeof probe; now?: () => number; later?: (work: () => void) => void } = {},
): Probe {
  let lockedSince: number | undefined
  let isWatching = false

  async function lookNow() {
    const problem = await look(db)
    lockedSince = problem === 'locked' ? (lockedSince ?? now()) : undefined
    if (problem === 'locked' && !isWatching) {
      isWatching = true
      later(watch)
    }
    return problem
  }

  // Two short locks are not one long one: without a look between them, nothing would tell.
  function watch(): void {
    isWatching = false
    lookNow().catch(() => {})
  }

  return async () => {
    const problem = await lookNow()
    if (lockedSince !== undefined && now() - lockedSince < toleratedLock) return undefined
    return problem && texts[problem]
  }
}

/** A server that others may take for dead is given no requests until it has told them that it lives. */
export const leaseProbe =
  (node: Pick<Node, 'isSure'>): Probe =>
  async () =>
    node.isSure() ? undefined : 'This server has lost touch with the database, and others may take it for dead'

/** Checks that the served folder exists and its volume is still mounted. */
export function storageProbe(root: string, statOf: (path: string) => Promise<FolderStat> = stat): Probe {
  let wasMounted = false
  return async (): Promise<Finding> => {
    const [found, above] = await Promise.all(
      [root, join(root, '..')].map((path) => statOf(path).catch(() => undefined)),
    )
    if (found === undefined || !found.isDirectory()) return 'The served folder is not there'
    const isMounted = above !== undefined && above.dev !== found.dev
    // After an unmount the mount point is left, an empty folder: it would look as if all files were deleted.
    if (wasMounted && !isMounted) return 'The volume of the served folder is not mounted any more'
    wasMounted ||= isMounted
    return (await may(root, constants.R_OK | constants.X_OK)) ? undefined : 'The served folder cannot be read'
  }
}

interface FolderStat {
  dev: number
  isDirectory(): boolean
}

const may = (path: string, mode: number): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  )
