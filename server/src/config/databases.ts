import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { z } from 'zod'
import { isMissing, isPredecessors } from '../database/kinds.ts'
import { documentsIn } from '../database/sqlite/files.ts'

/** The databases that a name stands for, which may be that of a database of File Browser. */
export interface Databases {
  readonly ours: string
  /** The database of File Browser that ours is, or has to be, made from. */
  readonly predecessor: string | undefined
  /** The file that was named, or found. */
  readonly named: string
  /** What lies where databases are looked for, and is not used because there is one already. */
  readonly passedOver: readonly string[]
  /** It was not named, and File Browser did not leave it: any account may have put it there. */
  readonly isDoubtful: boolean
}

/** What is looked for in the folder where the program is started. */
export const usualNames = ['filestead.db', 'filebrowser.db'] as const

/**
 * The database where none is named: the one that this folder has had so far. `kept` lies outside of the folder, so once
 * it exists no file that is put into the folder takes its place.
 */
export function usualDatabases(folder: string, kept: string): Databases {
  const [ours, old] = usualNames.map((name) => join(folder, name)) as [string, string]
  const others = (files: string[]) => files.filter((file) => !isMissing(file))
  if (!isMissing(kept)) return { ...databasesAt(kept), passedOver: others([ours, old]) }
  if (!isMissing(ours))
    return isPredecessors(old) && !standsAlone(ours)
      ? databasesAt(old)
      : { ...databasesAt(ours), passedOver: others([old]) }
  if (isPredecessors(old)) return databasesAt(old)
  return isMissing(old) ? databasesAt(kept) : { ...databasesAt(old), isDoubtful: true }
}

/**
 * The name of File Browser's database goes on meaning the same instance: ours lies beside it, also once the old file has
 * been cleared away.
 */
export function databasesAt(named: string): Databases {
  const beside = followed(nameBeside(named))
  const found = { named, predecessor: undefined, passedOver: [], isDoubtful: false }
  if (isMissing(named)) return { ...found, ours: isTakenFrom(beside, named) ? beside : followed(named) }
  return isPredecessors(named) ? { ...found, ours: beside, predecessor: named } : { ...found, ours: followed(named) }
}

/** The target of a symlink: SQLite keeps its other files beside the target. */
export function followed(file: string, hops = 0): string {
  try {
    if (hops > mostHops || !lstatSync(file).isSymbolicLink()) return file
    return followed(resolve(realpathSync(dirname(file)), readlinkSync(file)), hops + 1)
  } catch {
    return file
  }
}

const mostHops = 40

/** 'filebrowser.db' becomes 'filestead.db', 'files.db' becomes 'files.filestead.db'. */
export function nameBeside(file: string): string {
  const name = basename(file)
  const end = extname(name)
  const ours = name.includes('filebrowser')
    ? name.replace('filebrowser', 'filestead')
    : `${basename(name, end)}.filestead${end}`
  return join(dirname(file), ours)
}

const Origin = z.object({ files: z.array(z.string()) })

/** Does this database of ours say that it was made from that file? By name only: both may have been moved together. */
function isTakenFrom(ours: string, file: string): boolean {
  const origin = Origin.safeParse(documentsIn(ours).get('takeover'))
  return origin.success && origin.data.files.some((from) => basename(from) === basename(file))
}

/** Has it been set up by itself, and not from a database of File Browser? */
function standsAlone(ours: string): boolean {
  const documents = documentsIn(ours)
  return documents.has('settings') && !documents.has('takeover')
}
