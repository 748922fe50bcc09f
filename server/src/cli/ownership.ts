import { closeSync, constants, existsSync, fchownSync, fstatSync, openSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isMissing } from '../database/kinds.ts'

/**
 * When run as root, gives the files that `work` makes beside a database to the owner of the database, or of its folder
 * where it is new. Otherwise the server, which runs as that account, could not open them.
 */
export async function ownedAsBefore<T>(database: string, work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work()
  const missing = missingFolders(dirname(database))
  const like = statSync(isMissing(database) ? dirname(missing[0] ?? database) : database)
  const before = new Map(filesOf(database).map((file) => [file, inodeOf(file)]))
  try {
    return await work()
  } finally {
    const isNew = (file: string) => before.get(file) !== inodeOf(file)
    if (like.uid !== 0) for (const file of [...missing, ...filesOf(database)].filter(isNew)) give(file, like)
  }
}

/** The same for folders below the served one that were made after `since`. */
export function giveNewFolders(root: string, below: string, since: number): void {
  if (process.getuid?.() !== 0) return
  let owner = statSync(root)
  let folder = root
  for (const name of below.split('/').filter(Boolean)) {
    folder = join(folder, name)
    const stat = statSync(folder, { throwIfNoEntry: false })
    if (stat === undefined) return
    if (stat.birthtimeMs > since - clockLag && owner.uid !== 0) give(folder, owner)
    owner = statSync(folder)
  }
}

/** In milliseconds: the clock of file systems ticks in steps of up to 10 ms. */
const clockLag = 100

/** The missing folders on the way to `folder`, the outermost first. */
function missingFolders(folder: string): string[] {
  return existsSync(folder) ? [] : [...missingFolders(dirname(folder)), folder]
}

function filesOf(database: string): string[] {
  const folder = dirname(database)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.startsWith(basename(database)))
    .map((name) => join(folder, name))
}

const inodeOf = (file: string): number | undefined => statSync(file, { throwIfNoEntry: false })?.ino

/** By descriptor, and never a file with a second hard link: another user could have put one there for root to give away. */
function give(file: string, { uid, gid }: { uid: number; gid: number }): void {
  if (!existsSync(file)) return
  const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const stat = fstatSync(fd)
    if (stat.uid === 0 && (stat.isDirectory() || (stat.isFile() && stat.nlink === 1))) fchownSync(fd, uid, gid)
  } finally {
    closeSync(fd)
  }
}
