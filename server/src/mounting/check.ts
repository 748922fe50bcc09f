import type { AddressCheck } from '@filestead/contract'
import { deadline } from '../concurrency/deadline.ts'
import { Failure } from '../failure.ts'
import type { MountFacts } from '../mounts/store.ts'
import { isDiskAddress } from '../storage/address.ts'

export interface CheckDeps {
  readonly mounts: { all(): Promise<readonly MountFacts[]> }
  /** Refuses, with a sentence, what cannot be a mount beside the others. */
  checkedFolder(folder: string, others: readonly MountFacts[]): Promise<string>
  /** Asks the server of an address. */
  lookAtServer(folder: string, readOnly: boolean): Promise<Looked>
}

export interface Wanted {
  readonly folder: string
  /** The mount that shall be changed. */
  readonly id?: number | undefined
  readonly readOnly: boolean
}

/** What its server answers, in sentences of ours. */
export interface Looked {
  readonly refusal?: string | undefined
  readonly hostKey?: string | undefined
  readonly weaknesses: readonly string[]
}

/** In milliseconds. */
const longestLook = 20_000
/** So many in so many milliseconds, in this process: enough for a person, and too few to search a network. */
const [mostLooks, within] = [10, 60_000]

/** Looks at addresses before they become mounts. */
export function addressChecker(deps: CheckDeps): (wanted: Wanted) => Promise<AddressCheck> {
  let looks: number[] = []

  function requirePace(): void {
    const now = performance.now()
    looks = looks.filter((at) => now - at < within)
    const [first = now] = looks
    if (looks.length >= mostLooks)
      throw new Failure('too-many-tries', 'Many addresses were tried; wait a moment', {
        retryAfter: Math.ceil((first + within - now) / 1000),
      })
    looks.push(now)
  }

  return async ({ folder: wanted, id, readOnly }) => {
    requirePace()
    try {
      if (isDiskAddress(wanted)) throw new Failure('invalid', 'this is no address of a bucket or of another server')
      const others = (await deps.mounts.all()).filter((mount) => mount.id !== id)
      const folder = await deps.checkedFolder(wanted, others)
      const { refusal, hostKey, weaknesses } = await deadline(deps.lookAtServer(folder, readOnly), longestLook, silent)
      return {
        ...(refusal !== undefined && { refusal }),
        ...(hostKey !== undefined && { hostKey }),
        weaknesses: [...weaknesses],
      }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return { refusal: error.message, weaknesses: [] }
    }
  }
}

const silent: Looked = { refusal: 'The server does not answer', weaknesses: [] }
