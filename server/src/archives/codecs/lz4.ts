import { blocksOf } from './blocks.ts'

const blockSize = 2 ** 18

/** One frame as the LZ4 frame format 1.6 has it: independent blocks of at most 256 KiB, each with its checksum. */
const descriptor = Buffer.from([0b0111_0000, 0b0101_0000])
const isStored = 0x8000_0000

type Library = Pick<typeof import('lz4-napi'), 'compressSync'>

/** Synchronous: a block takes a fraction of a millisecond, and the library's threads hold memory for long. */
export async function* lz4(bytes: AsyncIterable<Uint8Array>, { compressSync }: Library): AsyncGenerator<Uint8Array> {
  const checksum = (Bun.hash.xxHash32(descriptor, 0) >> 8) & 0xff
  yield Buffer.concat([Buffer.from([0x04, 0x22, 0x4d, 0x18]), descriptor, Buffer.from([checksum])])
  // The library puts the original length before its blocks; the frame format does without.
  for await (const block of blocksOf(bytes, blockSize))
    yield* framed(block, compressSync(Buffer.from(block.buffer, block.byteOffset, block.length)).subarray(4))
  yield Buffer.alloc(4)
}

function* framed(block: Uint8Array, packed: Uint8Array): Generator<Uint8Array> {
  const isSmaller = packed.length < block.length
  const data = isSmaller ? packed : block
  yield number32(isSmaller ? data.length : data.length + isStored)
  yield data
  yield number32(Bun.hash.xxHash32(data, 0))
}

function number32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
