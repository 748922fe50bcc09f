import { isReachable, untilReachable } from '../../server/connection.ts'
import { startSettings } from '../../server/start-settings.ts'
import { retryDelays } from './retries.ts'
import { waitFor } from './waiting.ts'

export interface Waiting {
  readonly signal: AbortSignal
  /** The server cannot be reached at the moment, or can be again. */
  onWaiting(isWaiting: boolean): void
}

/** Counts tries and waits between them. */
export class Outages {
  readonly #delays = retryDelays(startSettings.TusSettings.retryCount)
  readonly #waiting: Waiting
  #tries = 0
  /** How often the connection was lost. */
  count = 0

  constructor(waiting: Waiting) {
    this.#waiting = waiting
  }

  /** Something has arrived: tries count anew. */
  reset(): void {
    this.#tries = 0
  }

  /** Waits before another try. False where there were enough. */
  async pause(): Promise<boolean> {
    const delay = this.#delays[this.#tries]
    if (delay === undefined) return false
    this.#tries += 1
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
