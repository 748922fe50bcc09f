import type { Member } from './members.ts'

/** A block, in which all parts of a tar file are counted. */
const blockSize = 512

/** Ends a tar file. */
export const tarEnd = new Uint8Array(2 * blockSize)

/** What fills the last block of a content. */
export const paddingAfter = (size: number): Uint8Array =>
  tarEnd.subarray(0, (blockSize - (size % blockSize)) % blockSize)

/** The header of a member as POSIX 1003.1 has it; a name that is long or beyond ASCII goes into a pax header before it. */
export function tarHeader({ name, entry }: Member, size: number): Uint8Array {
  const isFolder = entry.kind === 'folder'
  const facts: Facts = {
    mode: entry.mode & 0o777,
    // Readers count in 32 bits with a sign, and the format knows no time before 1970.
    seconds: Math.max(0, Math.min(entry.seconds, 2 ** 31 - 1)),
    size: isFolder ? 0 : size,
    type: isFolder ? '5' : '0',
  }
  const place = placeOf(name)
  if (place !== undefined) return block(place, facts)
  const pax = paxRecord('path', name)
  const before = block(paxPlace, { ...facts, size: pax.length, type: 'x' })
  return Buffer.concat([before, pax, paddingAfter(pax.length), block(paxPlace, facts)])
}

interface Facts {
  readonly mode: number
  readonly seconds: number
  readonly size: number
  readonly type: '0' | '5' | 'x'
}

/** A name in the two fields of a header. */
interface Place {
  readonly name: string
  readonly prefix: string
}

const paxPlace: Place = { name: 'PaxHeader', prefix: '' }
const [longestName, longestPrefix] = [100, 155]

/** Undefined where the fields cannot hold it. */
function placeOf(whole: string): Place | undefined {
  if (!/^[\0-\x7f]*$/.test(whole)) return undefined
  if (whole.length <= longestName) return { name: whole, prefix: '' }
  const cut = whole.indexOf('/', whole.length - longestName - 1)
  if (cut === -1 || cut > longestPrefix || cut === whole.length - 1) return undefined
  return { name: whole.slice(cut + 1), prefix: whole.slice(0, cut) }
}

/** The length of a record counts the digits that it is written with. */
function paxRecord(key: string, value: string): Uint8Array {
  const rest = ` ${key}=${value}\n`
  const restLength = Buffer.byteLength(rest)
  let length = restLength
  while (length !== restLength + String(length).length) length = restLength + String(length).length
  return Buffer.from(`${length}${rest}`)
}

function block({ name, prefix }: Place, { mode, seconds, size, type }: Facts): Uint8Array {
  const bytes = Buffer.alloc(blockSize)
  bytes.write(name, 0, 'latin1')
  bytes.write(`${octal(mode, 6)} `, 100, 'latin1')
  // Owner and group are not told.
  bytes.write('000000 \x00000000 ', 108, 'latin1')
  if (size <= 0o77777777777) bytes.write(`${octal(size, 11)} `, 124, 'latin1')
  else {
    // More than eleven digits: a number of 96 bits, of which the first one says so.
    bytes[124] = 0x80
    bytes.writeBigUInt64BE(BigInt(size), 128)
  }
  bytes.write(`${octal(seconds, 11)} `, 136, 'latin1')
  bytes.write(type, 156, 'latin1')
  bytes.write('ustar\x0000', 257, 'latin1')
  bytes.write('000000 \x00000000 ', 329, 'latin1')
  bytes.write(prefix, 345, 'latin1')
  // The sum is made as if its own field held spaces.
  let sum = 8 * 0x20
  for (let at = 0; at < blockSize; at += 1) sum += bytes[at] as number
  bytes.write(`${octal(sum, 6)} `, 148, 'latin1')
  return bytes
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')
