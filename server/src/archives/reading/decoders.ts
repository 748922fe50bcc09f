import type { Transform } from 'node:stream'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import type { ArchiveFormat } from '@filestead/contract'
import { Failure } from '../../failure.ts'
import { bzip2Blocks } from './bzip2.ts'
import { type Budget, budgetFor } from './limits.ts'
import { piecesOf, type Source } from './source.ts'
import { unpackedBy } from './unpacking.ts'

export type TarFormat = Exclude<ArchiveFormat, 'zip'>

const chunkSize = 262_144

/** The tar inside of a compressed one, from its first byte on. More than `budget` allows ends it with a failure. */
export async function* tarBytes(
  source: Source,
  format: TarFormat,
  budget: Budget = budgetFor(source.size),
): AsyncGenerator<Uint8Array> {
  for await (const piece of await unpacked(source, format)) {
    budget.spend(piece.length)
    yield piece
  }
}

async function unpacked(source: Source, format: TarFormat): Promise<AsyncGenerator<Uint8Array>> {
  const packed = piecesOf(source, 0, source.size)
  if (format === 'tar') return packed
  if (format === 'tar.gz') return unpackedBy(packed, createGunzip({ chunkSize }))
  if (format === 'tar.zst') return unpackedBy(packed, createZstdDecompress({ chunkSize }))
  if (format === 'tar.bz2') return bzip2Blocks(packed)
  return unpackedBy(packed, await xzDecoder())
}

/** In bytes: what the highest preset of xz needs is 65 MiB. A header may ask for gigabytes. */
const mostMemory = 128 << 20

/** An optional package, and a native one. */
async function xzDecoder(): Promise<Transform> {
  try {
    const { createStream } = await import('lzma-native')
    const stream = createStream('autoDecoder', { memlimit: mostMemory })
    // A stream that was not read to its end keeps its memory until some later collection.
    stream.once('close', () => stream.cleanup())
    return stream
  } catch (cause) {
    throw new Failure('not-installed', 'This server cannot open .xz: the library for it is not installed', { cause })
  }
}
