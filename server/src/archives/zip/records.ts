import type { Entry } from '../../storage/port.ts'
import type { Member } from '../members.ts'
import { smallSize } from '../small-files.ts'

/** The parts of a zip file, as APPNOTE.TXT 6.3 lays them out. What does not fit 32 bits goes into zip64 fields. */
export interface Record {
  readonly name: Uint8Array
  readonly entry: Entry
}

/** A checksum is known before the bytes are sent only where all of them have been read. */
export const isChecksumLate = ({ entry }: Pick<Record, 'entry'>): boolean => sizeOf(entry) > smallSize

export const recordOf = ({ name, entry }: Member): Record => ({ name: Buffer.from(name.toWellFormed()), entry })

/** A record of which only the lengths are wanted. */
interface Measured {
  readonly name: { readonly length: number }
  readonly entry: Entry
}

export const measured = ({ name, entry }: Member): Measured => ({
  name: { length: Buffer.byteLength(name.toWellFormed()) },
  entry,
})

export const sizeOf = ({ kind, size }: Entry): number => (kind === 'file' ? size : 0)

const most16 = 0xffff
const most32 = 0xffff_ffff
const isLarge = (size: number): boolean => size >= most32

/** How many bytes a member takes before the directory: header, content, and the checksum where that comes late. */
export function localLength(record: Measured): number {
  const size = sizeOf(record.entry)
  const header = 30 + record.name.length + 9 + (isLarge(size) ? 20 : 0)
  return header + size + (isChecksumLate(record) ? (isLarge(size) ? 24 : 16) : 0)
}

/** How many it takes in the directory. */
export function centralLength({ name, entry }: Measured, offset: number): number {
  const large = (isLarge(sizeOf(entry)) ? 2 : 0) + (isLarge(offset) ? 1 : 0)
  return 46 + name.length + 9 + (large > 0 ? 4 + large * 8 : 0)
}

export function localHeader(record: Record, checksum: number): Uint8Array {
  const { name, entry } = record
  const size = sizeOf(entry)
  const large = isLarge(size) ? [size, size] : []
  const header = Buffer.allocUnsafe(30 + name.length + extraLength(large))
  header.writeUInt32LE(0x0403_4b50, 0)
  writeShared(header, 4, record, isChecksumLate(record) ? 0 : checksum)
  header.writeUInt16LE(extraLength(large), 28)
  header.set(name, 30)
  writeExtra(header, 30 + name.length, entry, large)
  return header
}

/** Follows the bytes of a file whose checksum was not known before. */
export function descriptor({ entry: { size } }: Record, checksum: number): Uint8Array {
  const bytes = Buffer.alloc(isLarge(size) ? 24 : 16)
  bytes.writeUInt32LE(0x0807_4b50, 0)
  bytes.writeUInt32LE(checksum, 4)
  if (isLarge(size)) {
    bytes.writeBigUInt64LE(BigInt(size), 8)
    bytes.writeBigUInt64LE(BigInt(size), 16)
  } else {
    bytes.writeUInt32LE(size, 8)
    bytes.writeUInt32LE(size, 12)
  }
  return bytes
}

export function centralHeader(record: Record, checksum: number, offset: number): Uint8Array {
  const { name, entry } = record
  const size = sizeOf(entry)
  const large = isLarge(size) ? [size, size] : []
  if (isLarge(offset)) large.push(offset)
  const header = Buffer.allocUnsafe(46 + name.length + extraLength(large))
  header.writeUInt32LE(0x0201_4b50, 0)
  header.writeUInt16LE((3 << 8) | 45, 4)
  writeShared(header, 6, record, checksum)
  header.writeUInt16LE(extraLength(large), 30)
  // No comment, the first disk, no attributes but those of Unix and that of a folder.
  header.fill(0, 32, 46)
  header.writeUInt16LE((entry.kind === 'folder' ? 0o040_000 : 0o100_000) | (entry.mode & 0o777), 40)
  header[38] = entry.kind === 'folder' ? 0x10 : 0
  header.writeUInt32LE(Math.min(offset, most32), 42)
  header.set(name, 46)
  writeExtra(header, 46 + name.length, entry, large)
  return header
}

/** The end of the file: how many entries there are, and where their directory starts and how long it is. */
export function ending(count: number, length: number, start: number): Uint8Array {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x0605_4b50, 0)
  end.writeUInt16LE(Math.min(count, most16), 8)
  end.writeUInt16LE(Math.min(count, most16), 10)
  end.writeUInt32LE(Math.min(length, most32), 12)
  end.writeUInt32LE(Math.min(start, most32), 16)
  if (count < most16 && !isLarge(length) && !isLarge(start)) return end
  const end64 = Buffer.alloc(56 + 20)
  end64.writeUInt32LE(0x0606_4b50, 0)
  end64.writeUInt32LE(44, 4)
  end64.writeUInt16LE((3 << 8) | 45, 12)
  end64.writeUInt16LE(45, 14)
  for (const [at, value] of [count, count, length, start].entries()) end64.writeBigUInt64LE(BigInt(value), 24 + at * 8)
  end64.writeUInt32LE(0x0706_4b50, 56)
  end64.writeBigUInt64LE(BigInt(start + length), 56 + 8)
  end64.writeUInt32LE(1, 56 + 16)
  return Buffer.concat([end64, end])
}

/** What local and central headers have in common, up to the length of the name. */
function writeShared(header: Buffer, at: number, record: Record, checksum: number): void {
  const size = sizeOf(record.entry)
  const { time, date } = dosTime(record.entry.seconds)
  header.writeUInt16LE(isLarge(size) ? 45 : 20, at)
  header.writeUInt16LE(namesAreUtf8 | (isChecksumLate(record) ? checksumFollows : 0), at + 2)
  // Stored.
  header.writeUInt16LE(0, at + 4)
  header.writeUInt16LE(time, at + 6)
  header.writeUInt16LE(date, at + 8)
  header.writeUInt32LE(checksum, at + 10)
  header.writeUInt32LE(Math.min(size, most32), at + 14)
  header.writeUInt32LE(Math.min(size, most32), at + 18)
  header.writeUInt16LE(record.name.length, at + 22)
}

export const namesAreUtf8 = 1 << 11
export const checksumFollows = 1 << 3

const timeLength = 9

/** Of the fields behind the name: the time, and values too large for their place in the header. */
export const extraLength = (large: readonly number[]): number =>
  timeLength + (large.length > 0 ? 4 + large.length * 8 : 0)

/** The time in seconds since 1970, which most readers prefer to the one in the header; then values in the order of their places. */
export function writeExtra(header: Buffer, at: number, { seconds }: Entry, large: readonly number[]): void {
  header.writeUInt16LE(0x5455, at)
  header.writeUInt16LE(5, at + 2)
  header[at + 4] = 1
  header.writeInt32LE(Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, seconds)), at + 5)
  if (large.length === 0) return
  header.writeUInt16LE(1, at + timeLength)
  header.writeUInt16LE(large.length * 8, at + timeLength + 2)
  for (const [index, value] of large.entries()) header.writeBigUInt64LE(BigInt(value), at + timeLength + 4 + index * 8)
}

/** Years from 1980 to 2107, in steps of two seconds and in the server's time zone. */
export function dosTime(seconds: number): { time: number; date: number } {
  const at = new Date(seconds * 1000)
  const year = at.getFullYear()
  if (!(year >= 1980)) return { time: 0, date: (1 << 5) | 1 }
  if (year > 2107) return { time: 0xbf7d, date: 0xff9f }
  return {
    time: (at.getHours() << 11) | (at.getMinutes() << 5) | (at.getSeconds() >> 1),
    date: ((year - 1980) << 9) | ((at.getMonth() + 1) << 5) | at.getDate(),
  }
}
