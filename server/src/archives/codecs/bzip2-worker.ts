import BZip2 from 'bzip2-wasm'
import { workerMessages } from '../../concurrency/worker.ts'

declare const self: Worker

const library = new BZip2()
const ready = library.init()

self.onmessage = workerMessages(async (block: Uint8Array) => {
  await ready
  self.postMessage(library.compress(block, 9, mostPacked(block.length)))
})

/** What cannot be packed grows a little; the format promises by how much at the most. */
const mostPacked = (length: number): number => Math.ceil(length * 1.01) + 600
