import { constants, createBrotliCompress, createZstdCompress } from 'node:zlib'
import { Failure } from '../../failure.ts'
import { type CompressedTar, suffixOf } from '../formats.ts'
import { loadBzip2 } from './bzip2.ts'
import { gzip } from './gzip.ts'
import { lz4With } from './lz4.ts'
import { snappyWith } from './snappy.ts'
import { through } from './through.ts'
import { xzWith } from './xz.ts'

export type Codec = (bytes: AsyncGenerator<Uint8Array>) => AsyncGenerator<Uint8Array>

const chunkSize = 262_144
// The best brotli takes a minute for what this level does in a second.
const brotliOptions = { chunkSize, params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** The slow ones work beside the event loop, and all keep no more than a few pieces. */
const included: Partial<Record<CompressedTar, Codec>> = {
  targz: gzip,
  tarbr: (bytes) => through(bytes, createBrotliCompress(brotliOptions)),
  tarzst: (bytes) => through(bytes, createZstdCompress({ chunkSize })),
}

/** Packages of their own, most of them compiled, that need not be there; loaded when such an archive is asked for. */
const optional: Partial<Record<CompressedTar, () => Promise<Codec>>> = {
  tarbz2: loadBzip2,
  tarlz4: async () => lz4With(await import('lz4-napi')),
  tarsz: async () => snappyWith(await import('snappy')),
  tarxz: async () => xzWith(await import('lzma-native')),
}

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
