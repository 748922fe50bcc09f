import { timeSlices } from '../concurrency/time-slices.ts'

const batchSize = 262_144

/** Joins small pieces to larger ones: a header on its own would cost as much in every later stage. */
export async function* batched(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    if (piece.length === 0) continue
    if (piece.length < batchSize / 4) {
      waiting.push(piece)
      length += piece.length
      if (length < batchSize) continue
    }
    if (length > 0) yield Buffer.concat(waiting, length)
    if (piece.length >= batchSize / 4) yield piece
    waiting = []
    length = 0
  }
  if (length > 0) yield Buffer.concat(waiting, length)
}

/**
 * Yields to the event loop, and throws as soon as the signal aborts. Ending the last stage is not enough: it may itself
 * wait for this one, for bytes that are all dropped, or for the few that gigabytes of zeros are compressed to.
 */
export async function* stoppable<T>(
  items: AsyncIterable<T> | Iterable<T>,
  signal?: AbortSignal,
): AsyncGenerator<T, void> {
  const pause = timeSlices()
  for await (const item of items) {
    const rest = pause()
    if (rest !== undefined) await rest
    signal?.throwIfAborted()
    yield item
  }
}
