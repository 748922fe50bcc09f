/** Bits, the highest of each byte first. */
class Bits {
  readonly #bytes: Uint8Array
  #at = 0
  #held = 0
  #count = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  take(count: number): number {
    let value = 0
    for (let left = count; left > 0; ) {
      if (this.#count === 0) {
        if (this.#at >= this.#bytes.length) throw new Error('the block ends early')
        this.#held = this.#bytes[this.#at] as number
        this.#at += 1
        this.#count = 8
      }
      const some = Math.min(left, this.#count)
      value = value * 2 ** some + ((this.#held >> (this.#count - some)) & ((1 << some) - 1))
      this.#count -= some
      left -= some
    }
    return value
  }
}

const longestCode = 20
const symbolsPerSelector = 50

/** A code as bzip2 has them: by the length of each symbol's. */
interface Code {
  /** By length: the first number that is no code of it, what is taken off a code of it, and the symbols in order. */
  readonly limits: Int32Array
  readonly offsets: Int32Array
  readonly symbols: Uint16Array
}

function codeOf(lengths: readonly number[]): Code {
  const limits = new Int32Array(longestCode + 2)
  const offsets = new Int32Array(longestCode + 2)
  const symbols = new Uint16Array(lengths.length)
  let [next, index] = [0, 0]
  for (let length = 1; length <= longestCode; length += 1) {
    offsets[length] = next - index
    lengths.forEach((of, symbol) => {
      if (of !== length) return
      symbols[index] = symbol
      index += 1
      next += 1
    })
    limits[length] = next
    next *= 2
  }
  return { limits, offsets, symbols }
}

function symbolIn(bits: Bits, { limits, offsets, symbols }: Code): number {
  let value = 0
  for (let length = 1; length <= longestCode; length += 1) {
    value = value * 2 + bits.take(1)
    if (value >= (limits[length] as number)) continue
    const symbol = symbols[value - (offsets[length] as number)]
    if (symbol === undefined) break
    return symbol
  }
  throw new Error('no such code')
}

function usedBytes(bits: Bits): number[] {
  const ranges = bits.take(16)
  const used: number[] = []
  for (let range = 0; range < 16; range += 1) {
    if (!(ranges & (0x8000 >> range))) continue
    const inRange = bits.take(16)
    for (let at = 0; at < 16; at += 1) if (inRange & (0x8000 >> at)) used.push(range * 16 + at)
  }
  if (used.length === 0) throw new Error('no byte is used')
  return used
}

function selectorsIn(bits: Bits, groups: number): Uint8Array {
  const selectors = new Uint8Array(bits.take(15))
  const recent = Array.from({ length: groups }, (_, group) => group)
  for (let at = 0; at < selectors.length; at += 1) {
    let place = 0
    while (bits.take(1) === 1) place += 1
    const [group] = recent.splice(place, 1)
    if (group === undefined) throw new Error('no such group')
    recent.unshift(group)
    selectors[at] = group
  }
  return selectors
}

function lengthsIn(bits: Bits, symbols: number): number[] {
  let length = bits.take(5)
  return Array.from({ length: symbols }, () => {
    while (bits.take(1) === 1) length += bits.take(1) === 1 ? -1 : 1
    if (length < 1 || length > longestCode) throw new Error('no such length')
    return length
  })
}

/** One block, from its first bit on, as bzip2 1.0 writes it. Throws where it is none. */
export function unpackBzip2Block(block: Uint8Array, most: number): Uint8Array<ArrayBuffer> {
  const bits = new Bits(block)
  bits.take(48)
  const checksum = bits.take(32)
  if (bits.take(1) === 1) throw new Error('blocks of bzip2 0.9 are not read')
  const origin = bits.take(24)
  const sorted = sortedBytes(bits, most)
  const { bytes, checksum: found } = expanded(restored(sorted, origin))
  if (found !== checksum) throw new Error('the checksum is another')
  return bytes
}

/** Codes, runs and places among recent bytes: the bytes in the order that the transform has put them. */
function sortedBytes(bits: Bits, most: number): Uint8Array {
  const recent = usedBytes(bits)
  const end = recent.length + 1
  const groups = bits.take(3)
  const selectors = selectorsIn(bits, groups)
  const codes = Array.from({ length: groups }, () => codeOf(lengthsIn(bits, end + 1)))
  const sorted = new Uint8Array(most)
  let [length, run, weight] = [0, 0, 1]
  for (let count = 0; ; count += 1) {
    const code = codes[selectors[Math.floor(count / symbolsPerSelector)] ?? -1]
    if (code === undefined) throw new Error('the codes end early')
    const symbol = symbolIn(bits, code)
    if (symbol < 2) {
      run += weight * (symbol + 1)
      weight *= 2
      if (run > most) throw new Error('a run is too long')
      continue
    }
    if (length + run + 1 > most + (symbol === end ? 1 : 0)) throw new Error('the block is too long')
    sorted.fill(recent[0] as number, length, length + run)
    length += run
    ;[run, weight] = [0, 1]
    if (symbol === end) return sorted.subarray(0, length)
    const [byte] = recent.splice(symbol - 1, 1)
    if (byte === undefined) throw new Error('no such byte')
    recent.unshift(byte)
    sorted[length] = byte
    length += 1
  }
}

/** The transform of Burrows and Wheeler, undone. */
function restored(sorted: Uint8Array, origin: number): Uint8Array {
  if (origin >= sorted.length) throw new Error('no such place')
  const starts = new Uint32Array(257)
  for (const byte of sorted) starts[byte + 1] = (starts[byte + 1] as number) + 1
  for (let byte = 0; byte < 256; byte += 1) starts[byte + 1] = (starts[byte + 1] as number) + (starts[byte] as number)
  const next = new Uint32Array(sorted.length)
  sorted.forEach((byte, at) => {
    const place = starts[byte] as number
    next[place] = at
    starts[byte] = place + 1
  })
  const bytes = new Uint8Array(sorted.length)
  let at = next[origin] as number
  for (let count = 0; count < bytes.length; count += 1) {
    bytes[count] = sorted[at] as number
    at = next[at] as number
  }
  return bytes
}

const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24
  for (let bit = 0; bit < 8; bit += 1) value = (value << 1) ^ (value < 0 ? 0x04c11db7 : 0)
  return value
})

/** Behind four equal bytes stands how many more of them there are. */
function expanded(packed: Uint8Array): { bytes: Uint8Array<ArrayBuffer>; checksum: number } {
  let memory = new Uint8Array(packed.length * 2 + 1024)
  let [length, equal, last, checksum] = [0, 0, -1, -1]
  const put = (byte: number) => {
    memory[length] = byte
    length += 1
    checksum = (checksum << 8) ^ (table[((checksum >>> 24) ^ byte) & 255] as number)
  }
  for (const byte of packed) {
    if (length + 256 > memory.length) {
      const larger = new Uint8Array(memory.length * 2)
      larger.set(memory)
      memory = larger
    }
    if (equal === 4) {
      for (let count = byte; count > 0; count -= 1) put(last)
      equal = 0
      last = -1
      continue
    }
    equal = byte === last ? equal + 1 : 1
    last = byte
    put(byte)
  }
  return { bytes: memory.slice(0, length), checksum: ~checksum >>> 0 }
}
