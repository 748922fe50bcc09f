import { timeSlices } from '../concurrency/time-slices.ts'

const batchSize = 262_144

/** Puts pieces together in memory that is used again for the next ones: new memory each time is slower than the copy. */
export function joining(): (pieces: readonly Uint8Array[]) => Uint8Array {
  let memory = new Uint8Array()
  return (pieces) => {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
    if (memory.length < length) memory = new Uint8Array(length)
    let end = 0
    for (const piece of pieces) {
      memory.set(piece, end)
      end += piece.length
    }
    return memory.subarray(0, length)
  }
}

/**
 * Joins small pieces to larger ones: a header on its own would cost as much in every later stage. They are copied as they
 * come, because the memory of a piece may be used again for a later one.
 */
export async function* batched(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let batch = new Uint8Array()
  let [start, end] = [0, 0]
  for await (const piece of pieces) {
    const isSmall = piece.length < batchSize / 4
    if (start < end && (!isSmall || end + piece.length > batch.length)) {
      yield batch.subarray(start, end)
      start = end
    }
    if (!isSmall) yield piece
    else {
      if (end + piece.length > batch.length) {
        batch = new Uint8Array(batchSize)
        start = 0
        end = 0
      }
      batch.set(piece, end)
      end += piece.length
    }
  }
  if (start < end) yield batch.subarray(start, end)
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
