const batchSize = 262_144

/** Small pieces joined to larger ones: a header on its own would cost a trip through every later stage. */
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
