import { through } from './through.ts'

/** Higher presets want up to 700 MB for one download, and this one is ten times as fast as the usual sixth. */
const preset = 2

type Library = Pick<typeof import('lzma-native'), 'createCompressor'>

export const xzWith = (library: Library) => (bytes: AsyncGenerator<Uint8Array>) => xz(bytes, library)

function xz(bytes: AsyncGenerator<Uint8Array>, { createCompressor }: Library): AsyncGenerator<Uint8Array> {
  const stream = createCompressor({ preset })
  // Left to itself, a stream that was not read to its end keeps its memory until some later collection.
  stream.once('close', () => stream.cleanup())
  return through(bytes, stream)
}
