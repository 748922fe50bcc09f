import { broken } from './source.ts'

export const blockSize = 512

/** What fills the last block of a content. */
export const paddingOf = (size: number): number => (blockSize - (size % blockSize)) % blockSize

export const isEnd = (block: Uint8Array): boolean => block[0] === 0 && block.every((byte) => byte === 0)

/** Is the checksum right? Some writers have added up bytes with a sign. */
export function isTarHeader(block: Uint8Array): boolean {
  let [unsigned, signed] = [0, 0]
  for (let at = 0; at < blockSize; at += 1) {
    const byte = at >= 148 && at < 156 ? 0x20 : (block[at] as number)
    unsigned += byte
    signed += byte < 0x80 ? byte : byte - 0x100
  }
  const digits = Buffer.from(textAt(block, 148, 8))
    .toString('latin1')
    .trim()
  if (!/^[0-7]+$/.test(digits)) return false
  const sum = Number.parseInt(digits, 8)
  return sum === unsigned || sum === signed
}

/** Bytes of a field, up to the first zero. */
export function textAt(block: Uint8Array, start: number, length: number): Uint8Array {
  const field = block.subarray(start, start + length)
  const end = field.indexOf(0)
  return end === -1 ? field : field.subarray(0, end)
}

/** Octal digits, or as GNU has it bytes of a number behind a byte that no digit begins with. */
export function numberAt(block: Uint8Array, start: number, length: number): number {
  const first = block[start] as number
  if (first & 0x80) {
    // A size or time before zero makes no sense.
    if (first & 0x40) throw broken()
    let value = first & 0x3f
    for (let at = start + 1; at < start + length; at += 1) value = value * 256 + (block[at] as number)
    if (!Number.isSafeInteger(value)) throw broken()
    return value
  }
  const digits = Buffer.from(textAt(block, start, length))
    .toString('latin1')
    .trim()
  if (digits === '') return 0
  if (!/^[0-7]+$/.test(digits)) throw broken()
  return Number.parseInt(digits, 8)
}

/** Records of a pax header: the length of all, a blank, the name, an equals sign, the value, a line end. */
export function readPax(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const records = new Map<string, Uint8Array>()
  for (let at = 0; at < bytes.length; ) {
    const blank = bytes.indexOf(0x20, at)
    const length = blank === -1 ? Number.NaN : Number(Buffer.from(bytes.subarray(at, blank)).toString('latin1'))
    if (!(Number.isInteger(length) && length > blank - at + 1 && at + length <= bytes.length)) throw broken()
    const record = bytes.subarray(blank + 1, at + length - 1)
    const equals = record.indexOf(0x3d)
    if (equals === -1) throw broken()
    records.set(Buffer.from(record.subarray(0, equals)).toString(), record.subarray(equals + 1))
    at += length
  }
  return records
}
