import { Failure } from '../failure.ts'

/** The one who asked. Its signal is looked at only by those who have to wait: to make one costs more than most answers. */
export interface Client {
  readonly signal: AbortSignal
}

/** Held while work is under way; whoever holds it disposes of it, whatever happens. Doing so twice is fine. */
export interface Place extends Disposable {
  /** Something was taken. A place whose holder stands still from then on is taken away when others wait for it. */
  touch(): void
  /** Work is under way for the one who takes: until the next touch, nobody stands still. */
  work(): void
}

/** A semaphore with a limit for each key beside the one for all: nobody can take every place alone. */
export interface Limit {
  /** A place that is free this moment. */
  tryEnter(key: string, evict?: () => void): Place | undefined
  /**
   * Waits for a place, as long as the client does and for a while at most. `evict` ends the work of a holder that stands
   * still while others wait.
   */
  enter(key: string, client: Client, evict?: () => void): Promise<Place>
  readonly running: number
  readonly waiting: number
}

export interface LimitOptions {
  /** What there is too much of, as the refusal says it. */
  what: string
  most: number
  mostPerKey: number
  mostWaiting: number
  mostWaitingPerKey: number
  /** So many milliseconds somebody waits for a place. */
  patience?: number
  /** After so many milliseconds without a touch a holder stands still. */
  stillAfter?: number
  /** Milliseconds of a clock that only goes forward. */
  now?: () => number
}

interface Holder {
  readonly key: string
  readonly evict: (() => void) | undefined
  touched: number
}

interface Waiter {
  readonly key: string
  begin(): void
}

export function limitOf(options: LimitOptions): Limit {
  const { what, most, mostPerKey, mostWaiting, mostWaitingPerKey } = options
  const { patience = 30_000, stillAfter = 20_000, now = () => performance.now() } = options
  const holders = new Set<Holder>()
  const held = new Map<string, number>()
  const waiters = new Set<Waiter>()
  let watch: NodeJS.Timeout | undefined

  const heldBy = (key: string): number => held.get(key) ?? 0
  const mayEnter = (key: string): boolean => holders.size < most && heldBy(key) < mostPerKey

  function take(key: string, evict: (() => void) | undefined): Place {
    const holder: Holder = { key, evict, touched: now() }
    holders.add(holder)
    held.set(key, heldBy(key) + 1)
    return {
      touch() {
        holder.touched = now()
      },
      work() {
        holder.touched = Number.POSITIVE_INFINITY
      },
      [Symbol.dispose]: () => leave(holder),
    }
  }

  function leave(holder: Holder): void {
    if (!holders.delete(holder)) return
    if (heldBy(holder.key) === 1) held.delete(holder.key)
    else held.set(holder.key, heldBy(holder.key) - 1)
    next()
  }

  /** Of those who may, the one whose key holds the fewest places; among equals, the one who came first. */
  function next(): void {
    while (holders.size < most) {
      let chosen: Waiter | undefined
      for (const waiter of waiters)
        if (mayEnter(waiter.key) && (chosen === undefined || heldBy(waiter.key) < heldBy(chosen.key))) chosen = waiter
      if (chosen === undefined) return
      waiters.delete(chosen)
      chosen.begin()
    }
  }

  /** Takes places from those who stand still, as long as somebody waits for one. */
  function evictStill(): void {
    if (waiters.size === 0) {
      clearInterval(watch)
      watch = undefined
      return
    }
    const since = now() - stillAfter
    for (const holder of [...holders]) {
      if (holder.evict === undefined || holder.touched > since || !isWaitedFor(holder)) continue
      leave(holder)
      holder.evict()
    }
  }

  /** Would somebody who waits get in if this one left? */
  function isWaitedFor({ key }: Holder): boolean {
    for (const waiter of waiters)
      if (waiter.key === key || (holders.size >= most && heldBy(waiter.key) < mostPerKey)) return true
    return false
  }

  const tooMuch = () =>
    new Failure('unavailable', `Too many ${what} at once; try again in a moment`, {
      retryAfter: Math.max(1, Math.ceil(patience / 3000)),
    })

  function wait(key: string, { signal }: Client, evict: (() => void) | undefined): Promise<Place> {
    signal.throwIfAborted()
    let ofKey = 0
    for (const waiter of waiters) if (waiter.key === key) ofKey += 1
    if (waiters.size >= mostWaiting || ofKey >= mostWaitingPerKey) throw tooMuch()
    watch ??= setInterval(evictStill, Math.max(1, Math.min(1000, stillAfter / 4))).unref()
    return new Promise<Place>((resolve, reject) => {
      const end = () => {
        waiters.delete(waiter)
        clearTimeout(timer)
        signal.removeEventListener('abort', left)
      }
      const left = () => {
        end()
        reject(signal.reason)
      }
      const waiter: Waiter = {
        key,
        begin() {
          end()
          resolve(take(key, evict))
        },
      }
      const timer = setTimeout(() => {
        end()
        reject(tooMuch())
      }, patience)
      signal.addEventListener('abort', left)
      waiters.add(waiter)
    })
  }

  return {
    tryEnter: (key, evict) => (mayEnter(key) ? take(key, evict) : undefined),
    enter: async (key, client, evict) => (mayEnter(key) ? take(key, evict) : wait(key, client, evict)),
    get running() {
      return holders.size
    },
    get waiting() {
      return waiters.size
    },
  }
}
