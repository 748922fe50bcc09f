import { Readable, type Transform } from 'node:stream'
import { constants, createBrotliCompress, createZstdCompress } from 'node:zlib'
import { Failure } from '../../failure.ts'
import { type CompressedTar, suffixOf } from '../formats.ts'
import { loadBzip2 } from './bzip2.ts'
import { gzip } from './gzip.ts'
import { lz4 } from './lz4.ts'

/** A piece that it is given is good until it asks for the next one. */
export type Codec = (bytes: AsyncGenerator<Uint8Array>) => AsyncGenerator<Uint8Array>

const chunkSize = 262_144
// The best brotli takes a minute for what this level does in a second.
const brotliOptions = { chunkSize, params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** The slow ones work in other threads, and all hold no more than a few pieces. */
const included: Partial<Record<CompressedTar, Codec>> = {
  targz: gzip,
  tarbr: (bytes) => through(bytes, createBrotliCompress(brotliOptions)),
  tarzst: (bytes) => through(bytes, createZstdCompress({ chunkSize })),
}

/** Optional packages, most of them native; loaded with the first request for such an archive. */
const optional: Partial<Record<CompressedTar, () => Promise<Codec>>> = {
  tarbz2: loadBzip2,
  tarlz4: async () => codecOf(lz4, await import('lz4-napi')),
  tarsz: async () => codecOf(snappy, await import('snappy')),
  tarxz: async () => codecOf(xz, await import('lzma-native')),
}

const codecOf =
  <Library>(
    compress: (bytes: AsyncGenerator<Uint8Array>, library: Library) => AsyncGenerator<Uint8Array>,
    library: Library,
  ): Codec =>
  (bytes) =>
    compress(bytes, library)

export async function loadCodec(format: CompressedTar): Promise<Codec> {
  const codec = included[format]
  if (codec !== undefined) return codec
  try {
    const loaded = await optional[format]?.()
    if (loaded !== undefined) return loaded
  } catch (cause) {
    throw notInstalled(format, cause)
  }
  throw notInstalled(format)
}

const notInstalled = (format: CompressedTar, cause?: unknown) =>
  new Failure('not-installed', `This server cannot make ${suffixOf(format)}: the library for it is not installed`, {
    cause,
  })

/** The framed format. A piece takes about a millisecond; the library's own streams keep memory when they are left. */
async function* snappy(
  bytes: AsyncIterable<Uint8Array>,
  { Compressor }: Pick<typeof import('snappy'), 'Compressor'>,
): AsyncGenerator<Uint8Array> {
  const compressor = new Compressor()
  for await (const piece of bytes) {
    const packed = compressor.update(piece)
    if (packed.length > 0) yield packed
  }
  yield await compressor.finish()
}

/** Higher presets want up to 700 MB for one download, and this one is ten times as fast as the usual sixth. */
const xzPreset = 2

function xz(
  bytes: AsyncGenerator<Uint8Array>,
  { createCompressor }: Pick<typeof import('lzma-native'), 'createCompressor'>,
): AsyncGenerator<Uint8Array> {
  const stream = createCompressor({ preset: xzPreset })
  // A stream that was not read to its end keeps its memory until some later collection.
  stream.once('close', () => stream.cleanup())
  return through(bytes, stream)
}

/** A Node stream asks for the next piece while it still holds the last ones, whose memory may be filled again by then. */
async function* kept(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) yield piece.slice()
}

/** Pipes bytes through a Node stream. An error on either side ends both, and so does a consumer that stops. */
async function* through(bytes: AsyncGenerator<Uint8Array>, stream: Transform): AsyncGenerator<Uint8Array> {
  const source = Readable.from(kept(bytes), { objectMode: false, highWaterMark: 1 })
  source.on('error', (error) => stream.destroy(error))
  // Errors are thrown where the stream is read; one after its end has no reader, and must not end the process.
  stream.on('error', () => {})
  source.pipe(stream)
  try {
    yield* stream as AsyncIterable<Uint8Array>
  } finally {
    source.destroy()
    stream.destroy()
    // The source may still be at work on a piece, and closes its files after that.
    await bytes.return(undefined)
  }
}
