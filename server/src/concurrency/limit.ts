import { Failure } from '../failure.ts'

/** The client of a request. Its signal is read only when it has to wait: making one costs more than most answers. */
export interface Client {
  readonly signal: AbortSignal
}

/** Held while work is under way, and disposed of at its end, whatever happens. Doing so twice is fine. */
export interface Permit extends Disposable {
  /** The client took something. A permit that is idle from then on is revoked when others wait for it. */
  touch(): void
  /** The server works for the client: until the next touch, the permit does not count as idle. */
  work(): void
}

/** A semaphore with a limit for each key beside the one for all, so that no client can take every permit. */
export interface Limit {
  /** A permit that is free this moment. */
  tryEnter(key: string, evict?: () => void): Permit | undefined
  /**
   * Waits for a permit, as long as the client does and until the timeout at most. `evict` ends the work of a holder that
   * is idle while others wait.
   */
  enter(key: string, client: Client, evict?: () => void): Promise<Permit>
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
  /** In milliseconds: the longest wait for a permit. */
  timeout?: number
  /** After so many milliseconds without a touch a holder is idle. */
  idleAfter?: number
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
  const { timeout = 30_000, idleAfter = 20_000, now = () => performance.now() } = options
  const holders = new Set<Holder>()
  const held = new Map<string, number>()
  const waiters = new Set<Waiter>()
  let watch: NodeJS.Timeout | undefined

  const heldBy = (key: string): number => held.get(key) ?? 0
  const mayEnter = (key: string): boolean => holders.size < most && heldBy(key) < mostPerKey

  function take(key: string, evict: (() => void) | undefined): Permit {
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

  /** The next permit goes to the key that holds the fewest; among equals, to the one that has waited longest. */
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

  /** Revokes idle permits that a waiter could use. */
  function evictIdle(): void {
    if (waiters.size === 0) {
      clearInterval(watch)
      watch = undefined
      return
    }
    const since = now() - idleAfter
    for (const holder of [...holders]) {
      if (holder.evict === undefined || holder.touched > since || !isWaitedFor(holder)) continue
      leave(holder)
      holder.evict()
    }
  }

  /** Would a waiter get in if this holder left? */
  function isWaitedFor({ key }: Holder): boolean {
    for (const waiter of waiters)
      if (waiter.key === key || (holders.size >= most && heldBy(waiter.key) < mostPerKey)) return true
    return false
  }

  const tooMuch = () =>
    new Failure('unavailable', `Too many ${what} at once; try again in a moment`, {
      retryAfter: Math.max(1, Math.ceil(timeout / 3000)),
    })

  function wait(key: string, { signal }: Client, evict: (() => void) | undefined): Promise<Permit> {
    signal.throwIfAborted()
    let ofKey = 0
    for (const waiter of waiters) if (waiter.key === key) ofKey += 1
    if (waiters.size >= mostWaiting || ofKey >= mostWaitingPerKey) throw tooMuch()
    watch ??= setInterval(evictIdle, Math.max(1, Math.min(1000, idleAfter / 4))).unref()
    return new Promise<Permit>((resolve, reject) => {
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
      }, timeout)
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
