import { Database as Sqlite } from 'bun:sqlite'
import { readdirSync, readlinkSync, realpathSync, rmSync, statSync, truncateSync } from 'node:fs'
import { Failure } from '../../failure.ts'
import { isDamage } from './refusals.ts'

/**
 * The files that we have opened, by identity: SQLite goes on with a file that has lost its name, and all that is written
 * from then on would be gone with the next stop.
 */
export interface Identity {
  readonly file: string
  readonly log: string
  /**
   * 'replaced' by another file, or 'overwritten' with the content of one. Both are final: also when the file comes back,
   * another one has had its companions in the meantime.
   */
  state(): 'ours' | 'missing' | 'replaced' | 'overwritten'
  /** We have written; what the file looks like now is our doing. */
  wrote(): void
  /** Until the function is called that this returns, a thread of ours writes to the file. */
  writing(): () => void
  /** Is it the file that was opened? */
  isOpened(found: FileIdentity): boolean
  /** Refuses as long as the name of the database does not stand for the file that we write to. */
  require(): void
  /** Removes the log and its index where they are still ours: at the next start they would be poured into another file. */
  dropCompanions(): void
}

export interface FileIdentity {
  readonly dev: number
  readonly ino: number
}

export function identityOf(file: string): Identity {
  let opened = look(file)
  const descriptor = descriptorOf(file)
  const log = `${file}-wal`
  const companions = [log, `${file}-shm`].map((path) => ({ path, opened: look(path) }))
  let known = opened
  let lost: 'replaced' | 'overwritten' | undefined
  let writers = 0

  const state = () => {
    if (lost !== undefined) return lost
    const found = look(file)
    if (found === undefined) return 'missing'
    // Some network file systems give a file another number every now and then, also the one that is open.
    if (!isSame(found, opened) && isSame(found, lookThrough(descriptor))) opened = found
    if (!isSame(found, opened)) lost = 'replaced'
    // Another process may have copied the log into it, which is as good as our own doing.
    else if (writers === 0 && (found.mtimeMs !== known?.mtimeMs || found.size !== known?.size)) {
      known = found
      if (found.size <= mostToCheck && !isSound(file)) lost = 'overwritten'
    }
    return lost ?? 'ours'
  }
  const wrote = () => {
    known = look(file)
  }
  return {
    file,
    log,
    state,
    wrote,
    writing() {
      writers += 1
      return () => {
        writers -= 1
        wrote()
      }
    },
    isOpened: (found) => isSame(found, opened),
    require() {
      if (state() !== 'ours') throw new Failure('unavailable', replacedText)
    },
    dropCompanions() {
      for (const { path, opened } of companions) {
        if (opened === undefined || !isSame(look(path), opened)) continue
        // A connection copies its log into the file when it is closed, at the latest when the process ends.
        if (lost === 'overwritten' && path === log) truncateSync(path)
        rmSync(path, { force: true })
      }
    },
  }
}

/** One in memory has no name that could stand for another one, and one on a read-only disk takes no changes anyway. */
export const anonymous: Identity = {
  file: '',
  log: '',
  state: () => 'ours',
  wrote: () => {},
  writing: () => () => {},
  isOpened: () => true,
  require: () => {},
  dropCompanions: () => {},
}

const replacedText = 'The file of the database has been removed or replaced'

/** In bytes: looking through a larger one would stop the event loop for too long. */
const mostToCheck = 64 * 1_048_576

/**
 * Content of another file does not go with the log of this one. Asked on a connection of its own: the others still know
 * pages from before. Whatever keeps it from being asked now does not count.
 */
function isSound(file: string): boolean {
  try {
    const sqlite = new Sqlite(file, { readonly: true })
    try {
      const row = sqlite.query<{ quick_check: string }, []>('pragma quick_check(1)').get()
      return row?.quick_check === 'ok'
    } finally {
      sqlite.close()
    }
  } catch (error) {
    return !isDamage(error)
  }
}

interface Looked extends FileIdentity {
  readonly mtimeMs: number
  readonly size: number
}

const look = (path: string): Looked | undefined => statSync(path, { throwIfNoEntry: false })

/** Where SQLite has the file open. We open none of our own: closing it would drop the locks that SQLite holds. */
function descriptorOf(file: string): string | undefined {
  try {
    const path = realpathSync(file)
    const all = readdirSync('/proc/self/fd').map((name) => `/proc/self/fd/${name}`)
    return all.find((descriptor) => targetOf(descriptor) === path)
  } catch {
    return undefined
  }
}

function targetOf(descriptor: string): string | undefined {
  try {
    return readlinkSync(descriptor)
  } catch {
    return undefined
  }
}

const lookThrough = (descriptor: string | undefined): Looked | undefined =>
  descriptor === undefined ? undefined : look(descriptor)

const isSame = (a: FileIdentity | undefined, b: FileIdentity | undefined): boolean =>
  a?.ino === b?.ino && a?.dev === b?.dev
