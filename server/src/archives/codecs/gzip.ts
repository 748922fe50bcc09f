import { crc32 } from 'node:zlib'
import { prefetch } from '../../concurrency/prefetch.ts'
import { blocksOf } from './blocks.ts'
import { blocksAtOnce, packed } from './packing.ts'
import type { PackingLevel } from './packing-worker.ts'

const blockSize = 1_048_576

/** Each block is a member of its own, as the format allows: readers take them as one file, and workers make several at once. */
export async function* gzip(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isEmpty = true
  for await (const { result } of prefetch(blocksOf(bytes, blockSize), (block) => gzipMember(block), blocksAtOnce)) {
    isEmpty = false
    yield result
  }
  if (isEmpty) yield stored(new Uint8Array())
}

/** One block as a file of its own. */
export const gzipMember = async (block: Uint8Array<ArrayBuffer>, level?: PackingLevel): Promise<Uint8Array> =>
  isCompressedAlready(block) ? stored(block) : packed('gzip', block, level)

const longestStored = 65_535
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])

/** Uncompressed, in parts that each begin with their length and its complement; the last one says that it is. */
function stored(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [header]
  for (let at = 0; at === 0 || at < bytes.length; at += longestStored) {
    const part = bytes.subarray(at, at + longestStored)
    const lengths = Buffer.alloc(5)
    lengths.writeUInt8(at + longestStored >= bytes.length ? 1 : 0)
    lengths.writeUInt16LE(part.length, 1)
    lengths.writeUInt16LE(~part.length & 0xffff, 3)
    parts.push(lengths, part)
  }
  const end = Buffer.alloc(8)
  end.writeUInt32LE(crc32(bytes))
  end.writeUInt32LE(bytes.length, 4)
  return Buffer.concat([...parts, end])
}

const sampleSize = 4096
/** Bits that a byte stands for: pictures, films and archives have 7.9 and more, programs 6.5, texts below 5. */
const compressedEntropy = 7.85

/** Photos and films cannot be compressed again, and trying takes longer than anything else. Judged by three samples. */
export function isCompressedAlready(bytes: Uint8Array): boolean {
  if (bytes.length < sampleSize * 4) return false
  const counts = new Uint32Array(256)
  for (const part of [0, 0.5, 1]) {
    const start = Math.floor((bytes.length - sampleSize) * part)
    for (let at = start; at < start + sampleSize; at += 1) counts[bytes[at] ?? 0] = (counts[bytes[at] ?? 0] ?? 0) + 1
  }
  const total = sampleSize * 3
  let entropy = Math.log2(total)
  for (const count of counts) if (count > 0) entropy -= (count * Math.log2(count)) / total
  return entropy > compressedEntropy
}
