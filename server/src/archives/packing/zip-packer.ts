import { crc32 } from 'node:zlib'
import type { Entry, OpenDraft } from '../../storage/port.ts'
import { isCompressedAlready } from '../codecs/gzip.ts'
import { packed as pack } from '../codecs/packing.ts'
import type { Member } from '../members.ts'
import { type PackedRecord, packedCentralHeader, packedDescriptor, packedLocalHeader } from '../zip/packed-records.ts'
import { ending } from '../zip/records.ts'
import { BlockBuilder, nothing, type Packer, type Part, type PartState } from './parts.ts'

const blockSize = 1 << 20
const level = 6
/** In bytes: of less, nothing is won. */
const leastPacked = 64
/** Ends compressed content: a last block that holds nothing. */
const lastBlock = Uint8Array.of(3, 0)

/** A file that is packed block by block. */
interface Late {
  readonly name: Uint8Array
  readonly entry: Entry
  checksum: number
  /** Judged by the first block. */
  isStored: boolean | undefined
  start: number
  packed: number
}

/** The directory grows in a draft of its own: it tells of every member, comes last, and may be longer than memory. */
export interface ZipDirectory {
  add(header: Uint8Array): void
  /** All that was added; it has been written there before. */
  readonly draft: OpenDraft
}

export function zipPacker(directory: ZipDirectory): Packer {
  const blocks = new BlockBuilder(blockSize)
  let late: Late | undefined

  const nameOf = ({ name }: Member) => Buffer.from(name.toWellFormed())

  function* whole(member: Member, entry: Entry, content: Uint8Array): Generator<Part> {
    const checksum = crc32(content)
    const record = { name: nameOf(member), entry, isLate: false, checksum, size: content.length }
    const mayShrink = content.length >= leastPacked && !isCompressedAlready(content)
    // Of its own: the memory goes to a worker, and that of small files is shared.
    const own = content.slice()
    yield {
      ...(mayShrink && { work: () => pack('deflate', own, level) }),
      emit(deflatedContent, at) {
        const isStored = !mayShrink || deflatedContent.length >= content.length
        const bytes = isStored ? content : deflatedContent
        const written: PackedRecord = { ...record, isStored, packed: bytes.length }
        directory.add(packedCentralHeader(written, at))
        return [packedLocalHeader(written), bytes]
      },
    }
  }

  function* block(bytes: Uint8Array<ArrayBuffer>): Generator<Part> {
    const file = late
    if (file === undefined) return
    if (file.isStored === undefined) {
      file.isStored = isCompressedAlready(bytes)
      const { isStored } = file
      yield {
        emit(_, at) {
          file.start = at
          return [packedLocalHeader(recordOf(file, isStored))]
        },
      }
    }
    yield {
      work: async () => (file.isStored ? bytes : pack('deflate-part', bytes, level)),
      emit(content) {
        file.packed += content.length
        return [content]
      },
    }
  }

  function* flush(): Generator<Part> {
    for (const bytes of blocks.rest()) yield* block(bytes)
  }

  return {
    whole,
    begin(member, entry) {
      // Its header waits for the first block, which tells whether it can be compressed.
      late = { name: nameOf(member), entry, checksum: 0, isStored: undefined, start: 0, packed: 0 }
      return []
    },
    resume(member, entry, { start, checksum = 0, packed = 0, isStored = false }) {
      late = { name: nameOf(member), entry, checksum, isStored, start, packed }
    },
    *piece(bytes) {
      if (late !== undefined) late.checksum = crc32(bytes, late.checksum)
      for (const full of blocks.add(bytes)) yield* block(full)
    },
    *end() {
      yield* flush()
      const file = late
      late = undefined
      if (file === undefined) return
      yield {
        emit() {
          const { start, isStored = false } = file
          const last = isStored ? nothing : lastBlock
          file.packed += last.length
          const record = recordOf(file, isStored)
          directory.add(packedCentralHeader(record, start))
          return [last, packedDescriptor(record)]
        },
      }
    },
    flush,
    mark() {
      const file = late
      const { checksum, isStored } = file ?? {}
      return (): PartState => ({ start: file?.start ?? 0, packed: file?.packed, checksum, isStored })
    },
    async *finish(count) {
      const { draft } = directory
      let start = 0
      yield {
        emit(_, at) {
          start = at
          return []
        },
      }
      for (let at = 0; at < draft.size; ) {
        const memory = new Uint8Array(Math.min(blockSize, draft.size - at))
        if ((await draft.readInto(memory, at)) !== memory.length) throw new Error('The directory of the zip is cut')
        at += memory.length
        yield { emit: () => [memory] }
      }
      yield { emit: () => [ending(count, draft.size, start)] }
    },
  }
}

const recordOf = ({ name, entry, checksum, packed }: Late, isStored: boolean): PackedRecord => ({
  ...{ name, entry, checksum, packed, isStored },
  isLate: true,
  size: entry.size,
})
