type Library = Pick<typeof import('snappy'), 'Compressor'>

export const snappyWith = (library: Library) => (bytes: AsyncIterable<Uint8Array>) => snappy(bytes, library)

/** The framed format. A piece takes about a millisecond; the library's own streams keep memory when they are left. */
async function* snappy(bytes: AsyncIterable<Uint8Array>, { Compressor }: Library): AsyncGenerator<Uint8Array> {
  const compressor = new Compressor()
  for await (const piece of bytes) {
    const packed = compressor.update(piece)
    if (packed.length > 0) yield packed
  }
  yield await compressor.finish()
}
