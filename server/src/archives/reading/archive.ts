import type { ArchiveFormat, NameEncoding } from '@filestead/contract'
import type { Cancellation } from '../../concurrency/cancellation.ts'
import { type ByteReader, fileReader, streamReader } from './byte-reader.ts'
import { type TarFormat, tarBytes } from './decoders.ts'
import { type EntryHeader, type EntryIndex, type IndexedEntry, indexBuilder } from './entry-index.ts'
import { budgetFor, limits } from './limits.ts'
import { broken, type Source } from './source.ts'
import { tarEntries } from './tar-entries.ts'
import { findDirectory, readZipIndex } from './zip-directory.ts'
import { zipMember } from './zip-member.ts'

interface IndexOptions {
  encoding?: NameEncoding | undefined
  signal?: Cancellation | undefined
  /** In bytes: so much of a compressed tar may be unpacked for it. */
  most?: number | undefined
}

/** All that is in an archive, without its contents. Of a compressed tar everything has to be unpacked for that. */
export async function readIndex(source: Source, format: ArchiveFormat, options: IndexOptions): Promise<EntryIndex> {
  if (format !== 'zip') return readTarIndex(source, format, options)
  const directory = await findDirectory(source)
  if (directory === undefined) throw broken()
  return readZipIndex(source, directory, options)
}

async function readTarIndex(source: Source, format: TarFormat, options: IndexOptions): Promise<EntryIndex> {
  const builder = indexBuilder(options.encoding)
  const reader = tarReader(source, format, options.most ?? limits.looking)
  try {
    for await (const header of tarEntries(reader, options.signal)) builder.add(header)
  } finally {
    await reader.close()
  }
  return builder.end(options.signal)
}

/** The bytes of a tar; what is passed over of one that is not compressed is not read. */
export const tarReader = (source: Source, format: TarFormat, most: number = limits.written): ByteReader =>
  format === 'tar' ? fileReader(source) : streamReader(tarBytes(source, format, budgetFor(source.size, most)))

/** What is in one file. */
export async function* memberOf(
  source: Source,
  format: ArchiveFormat,
  entry: IndexedEntry,
): AsyncGenerator<Uint8Array> {
  if (format === 'zip') return yield* zipMember(source, entry)
  const reader = tarReader(source, format)
  try {
    await reader.skip(entry.offset)
    yield* contentOf(reader, entry)
  } finally {
    await reader.close()
  }
}

const pieceSize = 262_144

/** The next `size` bytes of a tar. Each piece is good until the next one is asked for. */
export async function* contentOf(reader: ByteReader, { size }: Pick<EntryHeader, 'size'>): AsyncGenerator<Uint8Array> {
  for (let left = size; left > 0; ) {
    const piece = await reader.some(Math.min(left, pieceSize))
    if (piece === undefined) throw broken()
    left -= piece.length
    yield piece
  }
}
