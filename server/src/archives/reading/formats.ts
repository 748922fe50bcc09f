import type { ArchiveFormat } from '@filestead/contract'
import { streamReader } from './byte-reader.ts'
import { type TarFormat, tarBytes } from './decoders.ts'
import { notAnArchive, type Source } from './source.ts'
import { blockSize, isEnd, isTarHeader } from './tar-blocks.ts'
import { findDirectory } from './zip-directory.ts'

const magics: readonly (readonly [format: TarFormat, magic: string])[] = [
  ['tar.gz', '\x1f\x8b\x08'],
  ['tar.zst', '\x28\xb5\x2f\xfd'],
  ['tar.bz2', 'BZh'],
  ['tar.xz', '\xfd7zXZ\0'],
]

/** What an archive is, by its bytes and never by its name. */
export async function formatOf(source: Source): Promise<ArchiveFormat> {
  const head = await source.read(0, Math.min(source.size, blockSize))
  const text = Buffer.from(head).toString('latin1')
  const packed = magics.find(([, magic]) => text.startsWith(magic))?.[0]
  if (packed !== undefined) {
    await requireTarIn(source, packed)
    return packed
  }
  const isTar = head.length === blockSize && (isTarHeader(head) || isEnd(head))
  if (isTar && isTarHeader(head)) return 'tar'
  if (source.size >= 22 && (await findDirectory(source)) !== undefined) return 'zip'
  // One without entries begins with its end.
  if (isTar) return 'tar'
  throw notAnArchive()
}

/** A compressed file may be no archive at all. */
async function requireTarIn(source: Source, format: TarFormat): Promise<void> {
  const reader = streamReader(tarBytes(source, format))
  try {
    const first = await reader.take(blockSize)
    if (first === undefined || !(isTarHeader(first) || isEnd(first))) throw notAnArchive()
  } finally {
    await reader.close()
  }
}
