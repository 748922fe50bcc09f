import { readdirSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs'
import { Failure } from '../failure.ts'

/**
 * The files that we have opened, by identity: SQLite goes on with a file that has lost its name, and all that is written
 * from then on would be gone with the next stop.
 */
export interface Identity {
  /** The log, where there is one to be forced onto the disk. */
  readonly log: string | undefined
  /** 'replaced' is final: also when the file comes back, another one has had its companions in the meantime. */
  state(): 'ours' | 'missing' | 'replaced'
  /** Refuses as long as the name of the database does not stand for the file that we write to. */
  require(): void
  /** Removes the log and its index where they are still ours: at the next start they would be poured into another file. */
  dropCompanions(): void
}

export function identityOf(file: string): Identity {
  let opened = look(file)
  const descriptor = descriptorOf(file)
  const companions = [`${file}-wal`, `${file}-shm`].map((path) => ({ path, opened: look(path) }))
  let isReplaced = false

  const state = () => {
    const found = isReplaced ? undefined : look(file)
    if (!isReplaced && found === undefined) return 'missing'
    // Some network file systems give a file another number every now and then, also the one that is open.
    if (!isReplaced && !isSame(found, opened) && isSame(found, lookThrough(descriptor))) opened = found
    isReplaced ||= !isSame(found, opened)
    return isReplaced ? 'replaced' : 'ours'
  }
  return {
    log: `${file}-wal`,
    state,
    require() {
      if (state() !== 'ours') throw new Failure('unavailable', replacedText)
    },
    dropCompanions() {
      for (const { path, opened } of companions)
        if (opened !== undefined && isSame(look(path), opened)) rmSync(path, { force: true })
    },
  }
}

/** One in memory has no name that could stand for another one, and one on a read-only disk takes no changes anyway. */
export const anonymous: Identity = { log: undefined, state: () => 'ours', require: () => {}, dropCompanions: () => {} }

const replacedText = 'The file of the database has been removed or replaced'

interface Looked {
  readonly dev: number
  readonly ino: number
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

const isSame = (a: Looked | undefined, b: Looked | undefined): boolean => a?.ino === b?.ino && a?.dev === b?.dev
