import { pauses } from '../concurrency/pauses.ts'

/**
 * Gives the event loop its turns, and ends with an error as soon as the signal aborts. Leaving the last stage is not
 * enough: it may be waiting itself, for bytes that are all dropped, or for the few that gigabytes of zeros leave.
 */
export async function* stoppable<T>(
  items: AsyncIterable<T> | Iterable<T>,
  signal?: AbortSignal,
): AsyncGenerator<T, void> {
  const pause = pauses()
  for await (const item of items) {
    const rest = pause()
    if (rest !== undefined) await rest
    signal?.throwIfAborted()
    yield item
  }
}
