import type { Entry } from '../../storage/port.ts'
import { gzipMember } from '../codecs/gzip.ts'
import { packed } from '../codecs/packing.ts'
import type { Member } from '../members.ts'
import { paddingAfter, tarEnd, tarHeader } from '../tar-header.ts'
import { BlockBuilder, type Packer, type Part, type PartState } from './parts.ts'

type Compress = (block: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>

/** Level and size of what is packed in one go. Both formats take files one behind the other as one. */
const codecs: Readonly<Record<'tar.gz' | 'tar.zst', { compress: Compress; blockSize: number }>> = {
  'tar.gz': { compress: (block) => gzipMember(block, 6), blockSize: 1 << 20 },
  'tar.zst': { compress: (block) => packed('zstd', block, 3), blockSize: 4 << 20 },
}

export function tarPacker(format: 'tar.gz' | 'tar.zst'): Packer {
  const { compress, blockSize } = codecs[format]
  const blocks = new BlockBuilder(blockSize)
  let size = 0
  let start = 0

  function* add(...pieces: readonly Uint8Array[]): Generator<Part> {
    for (const piece of pieces) for (const block of blocks.add(piece)) yield partOf(block)
  }
  function* flush(): Generator<Part> {
    for (const block of blocks.rest()) yield partOf(block)
  }
  const partOf = (block: Uint8Array<ArrayBuffer>): Part => ({
    work: () => compress(block),
    emit: (bytes) => [bytes],
  })
  const header = ({ path, name }: Member, entry: Entry, length: number) => tarHeader({ path, name, entry }, length)

  return {
    whole: (member, entry, content) =>
      add(header(member, entry, content.length), content, paddingAfter(content.length)),
    *begin(member, entry) {
      yield* flush()
      size = entry.size
      yield {
        emit(_, at) {
          start = at
          return []
        },
      }
      yield* add(header(member, entry, size))
    },
    resume(_member, entry, state) {
      size = entry.size
      start = state.start
    },
    piece: (bytes) => add(bytes),
    end: () => add(paddingAfter(size)),
    flush,
    mark: () => (): PartState => ({ start }),
    async *finish() {
      yield* add(tarEnd)
      yield* flush()
    },
  }
}
