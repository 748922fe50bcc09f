import { constants, createBrotliCompress, createZstdCompress } from 'node:zlib'
import type { CompressedTar } from '../formats.ts'
import { bzip2 } from './bzip2.ts'
import { gzip } from './gzip.ts'
import { lz4 } from './lz4.ts'
import { snappy } from './snappy.ts'
import { through } from './through.ts'
import { xz } from './xz.ts'

export type Codec = (bytes: AsyncGenerator<Uint8Array>) => AsyncGenerator<Uint8Array>

const chunkSize = 262_144
// The best brotli takes a minute for what this level does in a second.
const brotliOptions = { chunkSize, params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** The slow ones work beside the event loop, and all keep no more than a few pieces. */
const codecs: Record<CompressedTar, Codec> = {
  targz: gzip,
  tarbr: (bytes) => through(bytes, createBrotliCompress(brotliOptions)),
  tarzst: (bytes) => through(bytes, createZstdCompress({ chunkSize })),
  tarxz: xz,
  tarbz2: bzip2,
  tarlz4: lz4,
  tarsz: snappy,
}

export const compressorOf = (format: CompressedTar): Codec => codecs[format]
