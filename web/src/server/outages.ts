import { waitFor } from '../state/waiting.ts'
import { isReachable, untilReachable } from './connection.ts'
import { startSettings } from './start-settings.ts'

export interface Waiting {
  readonly signal: AbortSignal
  /** The server cannot be reached at the moment, or can be again. */
  onWaiting(isWaiting: boolean): void
  /** The request has failed and is about to be made again, or null: it has been answered. */
  onRetry?(attempt: Attempt | null): void
}

export interface Attempt {
  readonly number: number
  /** How many there will be at most. */
  readonly most: number
}

/** Counts tries and waits between them. */
export class Outages {
  readonly #delays: readonly number[]
  readonly #waiting: Waiting
  #tries = 0
  /** How often the connection was lost. */
  count = 0

  constructor(waiting: Waiting, tries = startSettings.TusSettings.retryCount) {
    this.#waiting = waiting
    this.#delays = retryDelays(tries)
  }

  /** Something has arrived: tries count anew. */
  reset(): void {
    if (this.#tries > 0) this.#waiting.onRetry?.(null)
    this.#tries = 0
  }

  /** Waits before another try. False where there were enough. */
  async pause(): Promise<boolean> {
    const delay = this.#delays[this.#tries]
    if (delay === undefined) return false
    this.#tries += 1
    this.#waiting.onRetry?.({ number: this.#tries, most: this.#delays.length })
    await waitFor(this.#waiting.signal, { time: delay })
    return true
  }

  /**
   * Waits until the server can be reached. That is no try: an outage may be as long as it likes. Where the server says
   * elsewhere that it is well, the request itself is in trouble, and that is one.
   */
  async waitOut(): Promise<boolean> {
    const { signal, onWaiting } = this.#waiting
    this.count += 1
    if (await isReachable()) return this.pause()
    signal.throwIfAborted()
    onWaiting(true)
    try {
      // Where a proxy keeps the health address for itself, the request finds out.
      await waitFor(signal, { event: untilReachable(), time: longestWait })
    } finally {
      if (!signal.aborted) onWaiting(false)
    }
    return true
  }
}

const longestWait = 30_000

const firstDelay = 1000
const longestDelay = 20_000

/** How long to wait before each further try: not at all, then 1 s, 2 s, 4 s … 20 s. */
export const retryDelays = (count: number): number[] =>
  Array.from({ length: Math.max(0, count) }, (_, index) =>
    index === 0 ? 0 : Math.min(longestDelay, firstDelay * 2 ** (index - 1)),
  )
