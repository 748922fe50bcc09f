/** The same bytes in blocks of one size, each in memory of its own; only the last may be shorter. */
export async function* blocksOf(
  bytes: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let block = new Uint8Array(size)
  let filled = 0
  for await (const piece of bytes) {
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + size - filled)
      block.set(part, filled)
      filled += part.length
      at += part.length
      if (filled < size) continue
      yield block
      block = new Uint8Array(size)
      filled = 0
    }
  }
  if (filled > 0) yield block.subarray(0, filled)
}
