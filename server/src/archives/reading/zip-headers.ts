import { crc32 } from 'node:zlib'
import type { EntryHeader } from './entry-index.ts'
import { broken } from './source.ts'

const centralSignature = 0x0201_4b50
const fixedLength = 46
const most32 = 0xffff_ffff

/** The length of the entry that begins here, or undefined where not all of it is there. */
export function centralLength(bytes: Buffer, at: number): number | undefined {
  if (bytes.length - at < fixedLength) return undefined
  if (bytes.readUInt32LE(at) !== centralSignature) throw broken()
  const length = fixedLength + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  return bytes.length - at < length ? undefined : length
}

/** Systems that write names with backslashes and modes that mean nothing: FAT, OS/2, NTFS, VFAT. */
const dosHosts: readonly number[] = [0, 6, 10, 11, 14]
const unixHosts: readonly number[] = [3, 19]
const aesMethod = 99

const types = { mask: 0o170000, file: 0o100000, folder: 0o040000 } as const

/** An entry of the table of contents. `shift` is what stands before the archive. */
export function readCentral(bytes: Buffer, at: number, length: number, shift: number): EntryHeader {
  const host = bytes.readUInt8(at + 5)
  const flags = bytes.readUInt16LE(at + 8)
  const method = bytes.readUInt16LE(at + 10)
  const nameEnd = at + fixedLength + bytes.readUInt16LE(at + 28)
  const extraEnd = nameEnd + bytes.readUInt16LE(at + 30)
  if (extraEnd > at + length) throw broken()
  const name = bytes.subarray(at + fixedLength, nameEnd)
  const extra = readExtra(bytes, nameEnd, extraEnd, {
    name,
    size: bytes.readUInt32LE(at + 24),
    packedSize: bytes.readUInt32LE(at + 20),
    offset: bytes.readUInt32LE(at + 42),
  })
  const attributes = bytes.readUInt32LE(at + 38)
  const mode = unixHosts.includes(host) ? attributes >>> 16 : 0
  return {
    name: extra.unicodeName ?? name,
    isUtf8: (flags & 0x800) !== 0 || extra.unicodeName !== undefined,
    isFromDos: dosHosts.includes(host),
    kind: kindOf(name, mode, attributes, host),
    isEncrypted: (flags & 1) !== 0 || method === aesMethod,
    isExecutable: (mode & 0o100) !== 0,
    method,
    crc: bytes.readUInt32LE(at + 16),
    packedSize: extra.packedSize,
    size: extra.size,
    modified: extra.modified ?? dosTime(bytes.readUInt16LE(at + 14), bytes.readUInt16LE(at + 12)),
    offset: extra.offset + shift,
  }
}

function kindOf(name: Uint8Array, mode: number, attributes: number, host: number): EntryHeader['kind'] {
  const type = mode & types.mask
  if (type !== 0 && type !== types.file && type !== types.folder) return 'other'
  const last = name.at(-1)
  const isFolder = last === 0x2f || (last === 0x5c && dosHosts.includes(host)) || type === types.folder
  return isFolder || (dosHosts.includes(host) && (attributes & 0x10) !== 0) ? 'folder' : 'file'
}

interface Sizes {
  readonly name: Uint8Array
  readonly size: number
  readonly packedSize: number
  readonly offset: number
}

interface Extra extends Omit<Sizes, 'name'> {
  modified?: number
  unicodeName?: Uint8Array
}

/** Fields that some writers add: large numbers, times of Unix and NTFS, the name in UTF-8. */
function readExtra(bytes: Buffer, start: number, end: number, { name, ...sizes }: Sizes): Extra {
  const extra: { -readonly [Key in keyof Extra]: Extra[Key] } = sizes
  for (let at = start; at + 4 <= end; ) {
    const [id, length] = [bytes.readUInt16LE(at), bytes.readUInt16LE(at + 2)]
    const [from, to] = [at + 4, at + 4 + length]
    // Some writers leave rubbish at the end.
    if (to > end) break
    if (id === 0x0001) readLarge(bytes, from, to, extra)
    else if (id === 0x5455 && length >= 5 && bytes.readUInt8(from) & 1) extra.modified = bytes.readInt32LE(from + 1)
    else if (id === 0x000a && length >= 24 && bytes.readUInt16LE(from + 4) === 1)
      extra.modified ??= Number(bytes.readBigUInt64LE(from + 8) / 10_000_000n) - 11_644_473_600
    else if (id === 0x7075 && length > 5 && bytes.readUInt8(from) === 1 && bytes.readUInt32LE(from + 1) === crc32(name))
      extra.unicodeName = bytes.subarray(from + 5, to)
    at = to
  }
  return extra
}

/** Only those are there that did not fit, always in this order. */
function readLarge(bytes: Buffer, start: number, end: number, extra: { -readonly [Key in keyof Extra]: Extra[Key] }) {
  let at = start
  for (const field of ['size', 'packedSize', 'offset'] as const) {
    if (extra[field] !== most32) continue
    if (at + 8 > end) throw broken()
    const value = Number(bytes.readBigUInt64LE(at))
    if (!Number.isSafeInteger(value)) throw broken()
    extra[field] = value
    at += 8
  }
}

/** Without a zone: as the clocks of the server would have shown it. */
function dosTime(date: number, time: number): number {
  if (date === 0) return 0
  const day = new Date(
    (date >> 9) + 1980,
    ((date >> 5) & 15) - 1,
    date & 31,
    time >> 11,
    (time >> 5) & 63,
    (time & 31) * 2,
  )
  return Math.floor(day.getTime() / 1000)
}
