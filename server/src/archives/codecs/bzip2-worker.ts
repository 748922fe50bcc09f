import BZip2 from 'bzip2-wasm'

declare const self: Worker

const library = new BZip2()
const ready = library.init()

self.onmessage = async ({ data }: MessageEvent<Uint8Array>) => {
  await ready
  self.postMessage(library.compress(data, 9, mostPacked(data.length)))
}

/** What cannot be packed grows a little; the format promises by how much at the most. */
const mostPacked = (length: number): number => Math.ceil(length * 1.01) + 600
