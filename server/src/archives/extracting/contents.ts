import type { ArchiveFormat } from '@filestead/contract'
import { contentOf, tarReader } from '../reading/archive.ts'
import type { ByteReader } from '../reading/byte-reader.ts'
import type { IndexedEntry } from '../reading/entry-index.ts'
import { budgetFor } from '../reading/limits.ts'
import type { Source } from '../reading/source.ts'
import { zipMember } from '../reading/zip-member.ts'

/** What is in the files of an archive, one after another in the order of their places. */
export interface Contents {
  /** Each piece is good until the next one is asked for. */
  of(entry: IndexedEntry): AsyncGenerator<Uint8Array>
  /** Reads on to the end of a compressed archive, where its checksum is. */
  end(): Promise<void>
  close(): Promise<void>
}

export function contentsOf(source: Source, format: ArchiveFormat): Contents {
  // One for all files: what comes out of the whole archive counts.
  const budget = budgetFor(source.size)
  if (format === 'zip')
    return { of: (entry) => zipMember(source, entry, budget), end: async () => {}, close: async () => {} }
  const reader = tarReader(source, format)
  return {
    of: (entry) => tarMember(reader, entry),
    async end() {
      if (format !== 'tar') while ((await reader.some(1 << 20)) !== undefined);
    },
    close: () => reader.close(),
  }
}

async function* tarMember(reader: ByteReader, entry: IndexedEntry): AsyncGenerator<Uint8Array> {
  await reader.skip(entry.offset - reader.position)
  yield* contentOf(reader, entry)
}
