import type BZip2 from 'bzip2-wasm'
import { poolTasks } from '../../concurrency/worker.ts'

declare const self: Worker

export interface PackingTask {
  readonly codec: 'gzip' | 'bzip2'
  readonly block: Uint8Array<ArrayBuffer>
}

/** Of libdeflate: as fast as zlib's first level and smaller than its second. */
const level = 1

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

/** What cannot be packed grows a little; the format promises by how much at the most. */
const mostPacked = (length: number): number => Math.ceil(length * 1.01) + 600

self.onmessage = poolTasks<PackingTask, Uint8Array<ArrayBuffer>>(
  ({ codec, block }) => (codec === 'gzip' ? Bun.gzipSync(block, { library: 'libdeflate', level }) : bzip2(block)),
  ({ buffer }) => [buffer],
)
