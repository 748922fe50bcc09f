import { breathe } from '../../storage/trees.ts'

/** For so many milliseconds at a time a request may keep the event loop for itself. */
const turn = 10

/**
 * Lets others have their turn, and ends with an error as soon as nobody waits any more. Leaving the last stage is not
 * enough: it may be waiting itself, for bytes that are all dropped, or for the few that gigabytes of zeros leave.
 */
export async function* stoppable<T>(
  items: AsyncIterable<T> | Iterable<T>,
  signal?: AbortSignal,
): AsyncGenerator<T, void> {
  let since = performance.now()
  for await (const item of items) {
    if (performance.now() - since > turn) {
      await breathe()
      since = performance.now()
    }
    signal?.throwIfAborted()
    yield item
  }
}
