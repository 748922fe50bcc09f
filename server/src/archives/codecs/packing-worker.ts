import { constants, deflateRawSync } from 'node:zlib'
import type BZip2 from 'bzip2-wasm'
import { poolTasks } from '../../concurrency/worker.ts'
import { unpackBzip2Block } from './bzip2-block.ts'

declare const self: Worker

export type PackingLevel = 1 | 3 | 6

export interface PackingTask {
  /** `bunzip2` unpacks one block. */
  readonly codec: 'gzip' | 'bzip2' | 'bunzip2' | 'deflate' | 'deflate-part' | 'zstd'
  readonly block: Uint8Array<ArrayBuffer>
  readonly level?: PackingLevel | undefined
}

/** Of libdeflate: as fast as zlib's first level and smaller than its second. */
const usualLevel: PackingLevel = 1

let library: Promise<BZip2> | undefined

/** An optional package, loaded with the first block for it. */
async function loadBzip2(): Promise<BZip2> {
  const { default: Library } = await import('bzip2-wasm')
  const loaded = new Library()
  await loaded.init()
  return loaded
}

async function bzip2(block: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  library ??= loadBzip2()
  // The result lies in the memory of the library, where the next one is written.
  return new Uint8Array((await library).compress(block, 9, mostPacked(block.length)))
}

/** In bytes: of level 9; smaller ones are marked by nothing but the head of their file. */
const largestBlock = 900_000

/** What cannot be packed grows a little; the format promises by how much at the most. */
const mostPacked = (length: number): number => Math.ceil(length * 1.01) + 600

/** Ends at a byte and refers to nothing before it, so that the parts of a file can be made at once and one after the other. */
const deflatePart = (block: Uint8Array, level: PackingLevel): Uint8Array<ArrayBuffer> =>
  new Uint8Array(deflateRawSync(block, { level, finishFlush: constants.Z_FULL_FLUSH }))

function pack({
  codec,
  block,
  level = usualLevel,
}: PackingTask): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>> {
  switch (codec) {
    case 'gzip':
      return Bun.gzipSync(block, { library: 'libdeflate', level })
    case 'deflate':
      return Bun.deflateSync(block, { library: 'libdeflate', level })
    case 'deflate-part':
      return deflatePart(block, level)
    case 'zstd':
      return new Uint8Array(Bun.zstdCompressSync(block, { level }))
    case 'bzip2':
      return bzip2(block)
    case 'bunzip2':
      return unpackBzip2Block(block, largestBlock)
  }
}

self.onmessage = poolTasks<PackingTask, Uint8Array<ArrayBuffer>>(pack, ({ buffer }) => [buffer])
