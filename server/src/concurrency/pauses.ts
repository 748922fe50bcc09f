import type { Cancellation } from './cancellation.ts'

/** Yields to the event loop for one turn, so that other requests are answered while a long job runs. */
export const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** In milliseconds: so long may synchronous work block the event loop. */
const timeSlice = 10

/**
 * Called again and again during long work. Answers a promise when the time slice is over: it yields to the event loop, and
 * fails if the client has left.
 */
export function pauses(signal?: Cancellation): () => Promise<void> | undefined {
  let since = performance.now()
  const rest = async () => {
    await breathe()
    signal?.throwIfAborted()
    since = performance.now()
  }
  return () => (performance.now() - since > timeSlice ? rest() : undefined)
}
