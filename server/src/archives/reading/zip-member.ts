import { crc32, createInflateRaw, createZstdDecompress } from 'node:zlib'
import { Failure } from '../../failure.ts'
import type { IndexedEntry } from './entry-index.ts'
import { type Budget, budgetFor } from './limits.ts'
import { broken, piecesOf, type Source } from './source.ts'
import { unpackedBy } from './unpacking.ts'

const stored = 0
const deflated = 8
const zstd = 93

/** What is in one file of a zip. Fails at its end where that is not what the archive says. */
export async function* zipMember(
  source: Source,
  entry: IndexedEntry,
  budget: Budget = budgetFor(entry.packedSize),
): AsyncGenerator<Uint8Array> {
  requireReadable(entry)
  const start = await contentStart(source, entry)
  const packed = piecesOf(source, start, start + entry.packedSize)
  let [size, checksum] = [0, 0]
  for await (const piece of unpacked(packed, entry)) {
    size += piece.length
    budget.spend(piece.length)
    // Before it is passed on: no more than was declared is ever written.
    if (size > entry.size) throw broken()
    checksum = crc32(piece, checksum)
    yield piece
  }
  if (size !== entry.size || checksum !== entry.crc) throw broken()
}

export function requireReadable({ isEncrypted, method }: Pick<IndexedEntry, 'isEncrypted' | 'method'>): void {
  if (isEncrypted) throw new Failure('unsupported-type', 'This file of the archive is encrypted')
  if (method !== stored && method !== deflated && method !== zstd)
    throw new Failure('unsupported-type', 'This file of the archive is packed in a way that this server cannot unpack')
}

function unpacked(packed: AsyncGenerator<Uint8Array<ArrayBuffer>>, { method }: IndexedEntry) {
  if (method === stored) return packed
  return unpackedBy(packed, method === deflated ? createInflateRaw() : createZstdDecompress())
}

/** Behind the header that stands before the content, and which has other extra fields than the table of contents. */
async function contentStart(source: Source, { offset, packedSize }: IndexedEntry): Promise<number> {
  const header = Buffer.from(await source.read(offset, 30))
  if (header.readUInt32LE(0) !== 0x0403_4b50) throw broken()
  const start = offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
  if (start + packedSize > source.size) throw broken()
  return start
}
