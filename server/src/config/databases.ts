import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { z } from 'zod'
import { isPostgres, urlOf } from '../database/address.ts'
import { isMissing, isPredecessors } from '../database/kinds.ts'
import { documentsIn } from '../database/sqlite/files.ts'

/** The database that a name leads to, which may be the name of a database of File Browser. */
export interface Databases {
  /** Opens it: its path, or the address of a PostgreSQL, which may hold a password. */
  readonly address: string
  /** The names of files that a server keeps on its own machine begin with this: with the database, where that is one. */
  readonly file: string
  /** The database of File Browser from which `file` was made, or will be at the first start. */
  readonly predecessor: string | undefined
  /** The file that was named, or found. */
  readonly named: string
  /** Databases in the working folder that are not used, because `file` was there first. */
  readonly ignored: readonly string[]
  /** Neither named nor made by File Browser: another account may have put the file there. */
  readonly isUntrusted: boolean
}

/** The names that are looked for in the working folder. */
export const defaultNames = ['filestead.db', 'filebrowser.db'] as const

/**
 * The database where none is named: the one that was used in this folder before. `kept` is outside of the folder, so that
 * no file that is put into the folder can replace it.
 */
export function defaultDatabases(folder: string, kept: string): Databases {
  const [own, old] = defaultNames.map((name) => join(folder, name)) as [string, string]
  const others = (files: string[]) => files.filter((file) => !isMissing(file))
  if (!isMissing(kept)) return { ...databasesAt(kept), ignored: others([own, old]) }
  if (!isMissing(own))
    return isPredecessors(old) && !isIndependent(own)
      ? databasesAt(old)
      : { ...databasesAt(own), ignored: others([old]) }
  if (isPredecessors(old)) return databasesAt(old)
  return isMissing(old) ? databasesAt(kept) : { ...databasesAt(old), isUntrusted: true }
}

/**
 * The name of File Browser's database leads to the database that was made from it and lies beside it, also after the old
 * file was removed.
 */
export function databasesAt(named: string): Databases {
  const beside = symlinkTarget(nameBeside(named))
  const found = { named, predecessor: undefined, ignored: [], isUntrusted: false }
  const at = (file: string) => ({ ...found, file, address: file })
  if (isMissing(named)) return at(isTakenFrom(beside, named) ? beside : symlinkTarget(named))
  return isPredecessors(named) ? { ...at(beside), predecessor: named } : at(symlinkTarget(named))
}

/** A PostgreSQL has no folder of its own on this machine: it gets one among those of the databases that were not named. */
export function databasesBehind(address: string, stateFolder: string, usual: UsualAddress): Databases {
  const file = join(stateFolder, folderNameOf(address, usual), 'filestead')
  return { address, file, named: file, predecessor: undefined, ignored: [], isUntrusted: false }
}

/** What an address means that leaves parts out: the variables of PostgreSQL. */
interface UsualAddress {
  readonly PGHOST?: string | undefined
  readonly PGDATABASE?: string | undefined
}

/** By host and database, such as 'db.example.org-filestead'. */
function folderNameOf(address: string, { PGHOST, PGDATABASE }: UsualAddress): string {
  const url = urlOf(address)
  const host = url.searchParams.get('host') || decodeURIComponent(url.hostname) || PGHOST || 'localhost'
  const port = url.port === '' || url.port === '5432' ? '' : `-${url.port}`
  const database =
    decodeURIComponent(url.pathname.slice(1)) || PGDATABASE || url.username || url.searchParams.get('user') || 'default'
  return `${host}${port}-${database}`.replace(/[^\w.-]+/g, '_').replace(/^[._]+/, '')
}

/** Does a server keep its database in a file? */
export const isInFile = ({ address }: Pick<Databases, 'address'>): boolean => !isPostgres(address)

/** The target of a symlink: SQLite keeps its other files beside the target. */
export function symlinkTarget(file: string, hops = 0): string {
  try {
    if (hops > mostHops || !lstatSync(file).isSymbolicLink()) return file
    return symlinkTarget(resolve(realpathSync(dirname(file)), readlinkSync(file)), hops + 1)
  } catch {
    return file
  }
}

const mostHops = 40

/** 'filebrowser.db' becomes 'filestead.db', 'files.db' becomes 'files.filestead.db'. */
export function nameBeside(file: string): string {
  const name = basename(file)
  const end = extname(name)
  const own = name.includes('filebrowser')
    ? name.replace('filebrowser', 'filestead')
    : `${basename(name, end)}.filestead${end}`
  return join(dirname(file), own)
}

const Origin = z.object({ files: z.array(z.string()) })

/** Whether a database was made from `old`. Compared by name: both may have been moved to another folder. */
function isTakenFrom(database: string, old: string): boolean {
  const origin = Origin.safeParse(documentsIn(database).get('takeover'))
  return origin.success && origin.data.files.some((from) => basename(from) === basename(old))
}

/** Whether a database has settings that did not come from File Browser. */
function isIndependent(database: string): boolean {
  const documents = documentsIn(database)
  return documents.has('settings') && !documents.has('takeover')
}
