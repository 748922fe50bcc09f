import type { Entry } from '../../storage/port.ts'
import type { Member } from '../members.ts'
import { smallSize } from '../small-files.ts'

/** The parts of a zip file, as APPNOTE.TXT 6.3 lays them out. What does not fit 32 bits goes into zip64 fields. */
export interface Record {
  readonly name: string
  /** Of the name, in bytes. */
  readonly nameLength: number
  readonly entry: Entry
}

/** A checksum is known before the bytes are sent only where all of them have been read. */
export const isChecksumLate = ({ entry }: Pick<Record, 'entry'>): boolean => sizeOf(entry) > smallSize

/** A name is written where it goes, twice: to make bytes of each first takes longer than the rest of its headers. */
export function recordOf({ name, entry }: Member): Record {
  const wellFormed = name.toWellFormed()
  return { name: wellFormed, nameLength: Buffer.byteLength(wellFormed), entry }
}

export const sizeOf = ({ kind, size }: Entry): number => (kind === 'file' ? size : 0)

const most16 = 0xffff
const most32 = 0xffff_ffff
const isLarge = (size: number): boolean => size >= most32
const noneLarge: readonly number[] = []

/** How many bytes a member takes before the directory: header, content, and the checksum where that comes late. */
export function localLength(record: Pick<Record, 'nameLength' | 'entry'>): number {
  const size = sizeOf(record.entry)
  const header = 30 + record.nameLength + 9 + (isLarge(size) ? 20 : 0)
  return header + size + (isChecksumLate(record) ? (isLarge(size) ? 24 : 16) : 0)
}

/** How many it takes in the directory. */
export function centralLength({ nameLength, entry }: Pick<Record, 'nameLength' | 'entry'>, offset: number): number {
  const large = (isLarge(sizeOf(entry)) ? 2 : 0) + (isLarge(offset) ? 1 : 0)
  return 46 + nameLength + 9 + (large > 0 ? 4 + large * 8 : 0)
}

/** Answers where it ends. */
export function writeLocalHeader(into: Buffer, at: number, record: Record, checksum: number): number {
  const { name, nameLength, entry } = record
  const size = sizeOf(entry)
  const large = isLarge(size) ? [size, size] : noneLarge
  into.writeUInt32LE(0x0403_4b50, at)
  writeShared(into, at + 4, record, isChecksumLate(record) ? 0 : checksum)
  into.writeUInt16LE(extraLength(large), at + 28)
  into.write(name, at + 30)
  writeExtra(into, at + 30 + nameLength, entry, large)
  return at + 30 + nameLength + extraLength(large)
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

/** Answers where it ends. */
export function writeCentralHeader(
  into: Buffer,
  at: number,
  record: Record,
  { checksum, offset }: { readonly checksum: number; readonly offset: number },
): number {
  const { name, nameLength, entry } = record
  const size = sizeOf(entry)
  const sizes = isLarge(size) ? [size, size] : noneLarge
  const large = isLarge(offset) ? [...sizes, offset] : sizes
  into.writeUInt32LE(0x0201_4b50, at)
  into.writeUInt16LE((3 << 8) | 45, at + 4)
  writeShared(into, at + 6, record, checksum)
  into.writeUInt16LE(extraLength(large), at + 30)
  // No comment, the first disk, no attributes but those of Unix and that of a folder.
  into.writeUInt32LE(0, at + 32)
  into.writeUInt16LE(0, at + 36)
  into.writeUInt16LE(entry.kind === 'folder' ? 0x10 : 0, at + 38)
  into.writeUInt16LE((entry.kind === 'folder' ? 0o040_000 : 0o100_000) | (entry.mode & 0o777), at + 40)
  into.writeUInt32LE(Math.min(offset, most32), at + 42)
  into.write(name, at + 46)
  writeExtra(into, at + 46 + nameLength, entry, large)
  return at + 46 + nameLength + extraLength(large)
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
  header.writeUInt16LE(record.nameLength, at + 22)
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
