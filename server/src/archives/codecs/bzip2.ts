import { prefetch } from '../../concurrency/prefetch.ts'
import { blocksOf } from './blocks.ts'
import { blocksAtOnce, packed } from './packing.ts'

/** A little less than the 900,000 bytes that one block of bzip2 holds. */
const blockSize = 899_000

/** Compresses nothing, to see whether a worker finds its library. */
export async function loadBzip2(): Promise<typeof bzip2> {
  await compress(new Uint8Array())
  return bzip2
}

/** Every block is a stream of its own; readers take them as one file. */
async function* bzip2(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isEmpty = true
  for await (const { result } of prefetch(blocksOf(bytes, blockSize), compress, blocksAtOnce)) {
    isEmpty = false
    yield result
  }
  if (isEmpty) yield await compress(new Uint8Array())
}

const compress = (block: Uint8Array<ArrayBuffer>): Promise<Uint8Array> => packed('bzip2', block)
