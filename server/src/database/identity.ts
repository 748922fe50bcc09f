import { rmSync, statSync } from 'node:fs'
import { Failure } from '../failure.ts'

/**
 * The files that we have opened, by identity: SQLite goes on with a file that has lost its name, and all that is written
 * from then on would be gone with the next stop.
 */
export interface Identity {
  /** 'replaced' is final: also when the file comes back, another one has had its companions in the meantime. */
  state(): 'ours' | 'missing' | 'replaced'
  /** Refuses as long as the name of the database does not stand for the file that we write to. */
  require(): void
  /** Removes the log and its index where they are still ours: at the next start they would be poured into another file. */
  dropCompanions(): void
}

export function identityOf(file: string): Identity {
  const opened = look(file)
  const companions = [`${file}-wal`, `${file}-shm`].map((path) => ({ path, opened: look(path) }))
  let isReplaced = false

  const state = () => {
    const found = isReplaced ? undefined : look(file)
    if (!isReplaced && found === undefined) return 'missing'
    isReplaced ||= !isSame(found, opened)
    return isReplaced ? 'replaced' : 'ours'
  }
  return {
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

/** A database in memory has no name that could stand for another one. */
export const anonymous: Identity = { state: () => 'ours', require: () => {}, dropCompanions: () => {} }

const replacedText = 'The file of the database has been removed or replaced'

interface Looked {
  readonly dev: number
  readonly ino: number
}

const look = (path: string): Looked | undefined => statSync(path, { throwIfNoEntry: false })

const isSame = (a: Looked | undefined, b: Looked | undefined): boolean => a?.ino === b?.ino && a?.dev === b?.dev
