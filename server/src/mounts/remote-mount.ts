import { Failure } from '../failure.ts'
import type { RemoteMount } from '../storage/remote/mounted.ts'
import { refusalOfAddress } from './address-checks.ts'
import type { KnownMount } from './checks.ts'
import type { MountKind } from './served.ts'
import type { MountFacts } from './store.ts'

export interface RemoteMountDeps {
  /** May fail, and be long in coming. `lost` is called when the server could not be asked. */
  open(facts: MountFacts, lost: () => void): Promise<RemoteMount>
  older(): readonly KnownMount[]
}

/** In milliseconds: every look is a request that may cost money. */
const lookEvery = 300_000
const [firstPause, longestPause] = [5000, 60_000]

/** A bucket, or a folder on another server, which may not answer and come back. */
export function remoteMount({ open, older }: RemoteMountDeps): MountKind {
  let behind: RemoteMount | undefined
  return {
    get behind() {
      return behind
    },
    async find(facts, { isOver, lost }) {
      const refusal = refusalOfAddress(facts.folder, older())
      if (refusal !== undefined) return refusal
      if (behind === undefined) {
        const opened = await open(facts, lost)
        if (isOver()) opened.close()
        else behind = opened
      }
      return behind?.probe()
    },
    known: ({ id, name, folder }) => ({ id, name, folder }),
    longestLook: 10_000,
    pause: (times) => (times === 0 ? lookEvery : Math.min(longestPause, firstPause * 2 ** (times - 1))),
    away: serverAway,
    silent: 'The server does not answer',
  }
}

const serverAway = 'The server that has these files does not answer'

/** For what only folders of this machine can do. */
export const notOnDisk = (what: string): Failure =>
  new Failure('invalid', `${what} only in root folders on a disk of the server`)
