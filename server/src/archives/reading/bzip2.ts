import { prefetch } from '../../concurrency/prefetch.ts'
import { timeSlices } from '../../concurrency/time-slices.ts'
import { packed } from '../codecs/packing.ts'
import { broken } from './source.ts'

/** A little more than the longest block: what cannot be packed grows by a hundredth. */
const longestBlock = 1_000_000
const blockMark = 0x314159265359
const endMark = 0x177245385090
/** So many are unpacked ahead: one may become 46 MB. */
const blocksAhead = 2

/** A file of bzip2 in the blocks that it is made of, which workers unpack. */
export async function* bzip2Blocks(bytes: AsyncGenerator<Uint8Array<ArrayBuffer>>): AsyncGenerator<Uint8Array> {
  const unpack = (block: Uint8Array<ArrayBuffer>) =>
    packed('bunzip2', block).catch((error) => {
      throw broken(error)
    })
  for await (const { result } of prefetch(blocksIn(bytes), unpack, blocksAhead)) yield result
}

/** Each block with its first bit in front, wherever it lies in the file: blocks do not begin with a byte. */
async function* blocksIn(bytes: AsyncGenerator<Uint8Array<ArrayBuffer>>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const window = new BitWindow(bytes)
  try {
    while (await window.has(32)) {
      if (window.number(24) !== 0x425a68) throw broken()
      window.pass(32)
      for (;;) {
        if (!(await window.has(80))) throw broken()
        const mark = window.number(48)
        if (mark === endMark) break
        if (mark !== blockMark) throw broken()
        const length = await window.lengthOfBlock()
        yield window.copy(length)
        window.pass(length)
      }
      // The end has a checksum of all blocks, and goes on to the end of its byte.
      window.pass(80)
      window.passToByte()
    }
  } finally {
    await bytes.return(undefined)
  }
}

class BitWindow {
  readonly #bytes: AsyncGenerator<Uint8Array>
  #held: Uint8Array = new Uint8Array()
  /** In bits. */
  #at = 0

  constructor(bytes: AsyncGenerator<Uint8Array>) {
    this.#bytes = bytes
  }

  async has(bits: number): Promise<boolean> {
    while (this.#held.length * 8 - this.#at < bits) {
      const { done, value } = await this.#bytes.next()
      if (done) return false
      const from = this.#at >> 3
      this.#held = Buffer.concat([this.#held.subarray(from), value])
      this.#at -= from * 8
    }
    return true
  }

  number(bits: number): number {
    let value = 0
    for (let bit = this.#at; bit < this.#at + bits; bit += 1) value = value * 2 + this.#bit(bit)
    return value
  }

  pass(bits: number): void {
    this.#at += bits
  }

  passToByte(): void {
    this.#at = Math.ceil(this.#at / 8) * 8
  }

  /** Up to the next mark, of a block or of the end. */
  async lengthOfBlock(): Promise<number> {
    const pause = timeSlices()
    // The last 48 bits in two halves, because numbers are shifted in 32.
    let [high, low] = [0, 0]
    for (let length = 48; length < longestBlock * 8; length += 1) {
      if (length % 65_536 === 48) {
        if (!(await this.has(length + 65_536 + 48)) && !(await this.has(length + 1))) throw broken()
        const rest = pause()
        if (rest !== undefined) await rest
      }
      if (this.#at + length >= this.#held.length * 8) throw broken()
      high = ((high << 1) | (low >>> 23)) & 0xffffff
      low = ((low << 1) | this.#bit(this.#at + length)) & 0xffffff
      const isMark = (high === 0x314159 && low === 0x265359) || (high === 0x177245 && low === 0x385090)
      if (isMark && length >= 95) return length - 47
    }
    throw broken()
  }

  copy(bits: number): Uint8Array<ArrayBuffer> {
    const copy = new Uint8Array(Math.ceil(bits / 8))
    const [start, shift] = [this.#at >> 3, this.#at & 7]
    for (let at = 0; at < copy.length; at += 1) {
      const [first, second] = [this.#held[start + at] ?? 0, this.#held[start + at + 1] ?? 0]
      copy[at] = (first << shift) | (second >> (8 - shift))
    }
    return copy
  }

  #bit(at: number): number {
    return ((this.#held[at >> 3] ?? 0) >> (7 - (at & 7))) & 1
  }
}
