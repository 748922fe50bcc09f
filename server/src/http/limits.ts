import { type Limit, limitOf, type Place } from '../concurrency/limit.ts'
import { Failure } from '../failure.ts'
import { networkOf } from '../users/networks.ts'
import type { Asked, AskedByUser, AskedByVisitor } from './routes.ts'

/**
 * How many of each kind of long work run at once. The numbers are far from what people do, also several behind one
 * address: they bound what a program can make the server hold.
 */
export interface Limits {
  /** Folders of more than a thousand entries, as long as the entries themselves are in memory. */
  readonly listings: Limit
  /** Texts too long to be held as one. */
  readonly texts: Limit
  readonly checksums: Limit
  /** Searches, and lists of everything below a folder. */
  readonly searches: Limit
  readonly archives: Limit
  /** Parts of archives for which much has to be read that is not sent. */
  readonly rereads: Limit
  readonly copies: Limit
}

export const defaultLimits = (): Limits => ({
  listings: limitOf({ what: 'large folders', most: 4, mostPerKey: 3, mostWaiting: 2000, mostWaitingPerKey: 500 }),
  texts: limitOf({ what: 'long texts', most: 32, mostPerKey: 12, mostWaiting: 2000, mostWaitingPerKey: 500 }),
  checksums: limitOf({ what: 'checksums', most: 16, mostPerKey: 8, mostWaiting: 1000, mostWaitingPerKey: 200 }),
  searches: limitOf({ what: 'searches', most: 32, mostPerKey: 12, mostWaiting: 500, mostWaitingPerKey: 100 }),
  archives: limitOf({ what: 'archives', most: 48, mostPerKey: 24, mostWaiting: 200, mostWaitingPerKey: 50 }),
  rereads: limitOf({ what: 'parts of archives', most: 2, mostPerKey: 1, mostWaiting: 50, mostWaitingPerKey: 16 }),
  copies: limitOf({ what: 'copies', most: 32, mostPerKey: 16, mostWaiting: 1000, mostWaitingPerKey: 500, ...longer }),
})

/** A copy may stand behind others that take long, and nobody else can do its work. */
const longer = { patience: 600_000 }

/** Who a place is counted for. Several people may share an account, and several accounts an address. */
export function keyOf(asked: AskedByUser | AskedByVisitor | Asked): string {
  const network = networkOf(asked.surroundings.address)
  return 'caller' in asked ? `${asked.caller.user.id} ${network}` : network
}

/** A place for an answer that goes on after its first byte. */
export interface Lasting {
  /** Aborted when the client has left, or takes nothing while others wait. */
  readonly signal: AbortSignal
  /** Something was made, and waits for the client to take it. */
  touch(): void
  /** The client waits for what is being made. */
  work(): void
  /** Called once, when the answer is over in whatever way. */
  whenOver(work: () => void): void
  /** The answer is over; doing so twice is fine. */
  end(): void
}

/** Waits for a place in a limit, and holds it until the answer is over. */
export async function lasting(limit: Limit, asked: AskedByUser | AskedByVisitor): Promise<Lasting> {
  const { request } = asked
  request.signal.throwIfAborted()
  const stop = new AbortController()
  const place = await limit.enter(keyOf(asked), request, () => stop.abort(stoodStill()))
  return lastingAt(place, request, stop)
}

function lastingAt(place: Place, { signal }: Request, stop: AbortController): Lasting {
  const works: (() => void)[] = [() => place[Symbol.dispose]()]
  const left = () => stop.abort(signal.reason)
  const end = () => {
    signal.removeEventListener('abort', left)
    for (const work of works.splice(0)) work()
  }
  stop.signal.addEventListener('abort', end)
  signal.addEventListener('abort', left)
  if (signal.aborted) left()
  return {
    signal: stop.signal,
    touch: place.touch,
    work: place.work,
    whenOver(work) {
      if (stop.signal.aborted) work()
      else works.push(work)
    },
    end,
  }
}

const stoodStill = () => new Failure('incomplete', 'Nothing was taken for a while, and others waited')

/** Passes pieces on, and ends the place with the last of them. */
export function heldFor<T>(pieces: AsyncIterable<T>, { touch, work, end, signal }: Lasting): AsyncIterableIterator<T> {
  const iterator = pieces[Symbol.asyncIterator]()
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      try {
        signal.throwIfAborted()
        work()
        const result = await iterator.next()
        touch()
        if (result.done) end()
        return result
      } catch (error) {
        end()
        throw error
      }
    },
    async return() {
      end()
      await iterator.return?.()
      return { done: true, value: undefined }
    },
  }
}
