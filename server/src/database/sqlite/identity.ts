import { rmSync, statSync, truncateSync } from 'node:fs'
import { Failure } from '../../failure.ts'
import { descriptorOf } from './descriptors.ts'

/**
 * 'changed': another process wrote to the file, which may have been a checkpoint; `verified` finds out. 'replaced' by
 * another file, or 'overwritten' with the content of one: both are final, since also when the file comes back, another
 * one has had its log in the meantime.
 */
export type IdentityState = 'ours' | 'changed' | 'missing' | 'replaced' | 'overwritten'

/**
 * The opened files, by device and inode: SQLite goes on with a file that has lost its name, and everything written from
 * then on would be gone with the next stop.
 */
export interface Identity {
  readonly file: string
  readonly log: string
  /** One `stat`, and no wait for a disk. */
  state(): IdentityState
  /** The state, after a file that was changed has been checked by `isIntact`. Never 'changed'. */
  verified(isIntact: () => Promise<boolean>): Promise<IdentityState>
  /** This process has written; what the file looks like now is its own doing. */
  wrote(): void
  /** Until the returned function is called, a thread of this process writes to the file. */
  writing(): () => void
  /** Is it the file that was opened? */
  isOpened(found: FileIdentity): boolean
  /** Refuses while the name of the database does not stand for the opened file. */
  require(state?: IdentityState): void
  /** Removes log and index where they are still the opened ones: the next start would copy them into another file. */
  dropCompanions(): void
}

export interface FileIdentity {
  readonly dev: number
  readonly ino: number
}

export function identityOf(file: string): Identity {
  let opened = stat(file)
  const descriptor = descriptorOf(file)
  const log = `${file}-wal`
  const companions = [log, `${file}-shm`].map((path) => ({ path, opened: stat(path) }))
  let known = opened
  let lost: 'replaced' | 'overwritten' | undefined
  let isChanged = false
  let checking: Promise<void> | undefined
  let writers = 0

  function state(): IdentityState {
    if (lost !== undefined) return lost
    const found = stat(file)
    if (found === undefined) return 'missing'
    // Some network file systems give a file another number every now and then, also the one that is open.
    if (!isSame(found, opened) && isSame(found, statThrough(descriptor))) opened = found
    if (!isSame(found, opened)) lost = 'replaced'
    else if (writers === 0 && (found.mtimeMs !== known?.mtimeMs || found.size !== known?.size)) isChanged = true
    return lost ?? (isChanged ? 'changed' : 'ours')
  }

  async function check(isIntact: () => Promise<boolean>): Promise<void> {
    known = stat(file)
    const isWrong = (known?.size ?? 0) <= mostToCheck && !(await isIntact())
    isChanged = false
    if (isWrong) lost ??= 'overwritten'
  }

  const wrote = () => {
    known = stat(file)
  }
  return {
    file,
    log,
    state,
    async verified(isIntact) {
      for (;;) {
        const found = state()
        if (found !== 'changed') return found
        checking ??= check(isIntact).finally(() => {
          checking = undefined
        })
        await checking
      }
    },
    wrote,
    writing() {
      writers += 1
      return () => {
        writers -= 1
        wrote()
      }
    },
    isOpened: (found) => isSame(found, opened),
    require(found = state()) {
      if (found !== 'ours' && found !== 'changed') throw new Failure('unavailable', replacedText)
    },
    dropCompanions() {
      for (const { path, opened } of companions) {
        if (opened === undefined || !isSame(stat(path), opened)) continue
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
  verified: async () => 'ours',
  wrote: () => {},
  writing: () => () => {},
  isOpened: () => true,
  require: () => {},
  dropCompanions: () => {},
}

const replacedText = 'The file of the database has been removed or replaced'

/** In bytes: writes wait while the file is checked, and a larger one would keep them waiting for too long. */
const mostToCheck = 64 * 1_048_576

interface FileStat extends FileIdentity {
  readonly mtimeMs: number
  readonly size: number
}

const stat = (path: string): FileStat | undefined => statSync(path, { throwIfNoEntry: false })

const statThrough = (descriptor: number | undefined): FileStat | undefined =>
  descriptor === undefined ? undefined : stat(`/proc/self/fd/${descriptor}`)

const isSame = (a: FileIdentity | undefined, b: FileIdentity | undefined): boolean =>
  a?.ino === b?.ino && a?.dev === b?.dev
