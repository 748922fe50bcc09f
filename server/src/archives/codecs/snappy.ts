import { Compressor } from 'snappy'

/** The framed format. A piece takes about a millisecond; the library's own streams keep memory when they are left. */
export async function* snappy(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const compressor = new Compressor()
  for await (const piece of bytes) {
    const packed = compressor.update(piece)
    if (packed.length > 0) yield packed
  }
  yield await compressor.finish()
}
