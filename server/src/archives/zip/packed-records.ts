import type { Entry } from '../../storage/port.ts'
import { checksumFollows, dosTime, extraLength, namesAreUtf8, writeExtra } from './records.ts'

/** A member of a zip whose content may be compressed. */
export interface PackedRecord {
  readonly name: Uint8Array
  readonly entry: Entry
  readonly isStored: boolean
  /** Its checksum follows its content, and so does its length where that is compressed. */
  readonly isLate: boolean
  readonly checksum: number
  readonly size: number
  readonly packed: number
}

const most32 = 0xffff_ffff
/** What cannot be compressed grows a little: whether a length fits 32 bits is decided before it is known. */
const surelyFits = 0xf000_0000

const needs64 = ({ size, isLate }: PackedRecord): boolean => isLate && size >= surelyFits

export function packedLocalHeader(record: PackedRecord): Uint8Array {
  const { name, entry, isLate, isStored, size, packed } = record
  const isKnown = !isLate || isStored
  const large = needs64(record) ? (isKnown ? [size, size] : [0, 0]) : []
  const header = Buffer.alloc(30 + name.length + extraLength(large))
  header.writeUInt32LE(0x0403_4b50, 0)
  writeMethod(header, 4, record, needs64(record))
  if (!isLate) header.writeUInt32LE(record.checksum, 14)
  const [shownPacked, shownSize] =
    large.length > 0 ? [most32, most32] : isKnown ? [isLate ? size : packed, size] : [0, 0]
  header.writeUInt32LE(shownPacked, 18)
  header.writeUInt32LE(shownSize, 22)
  header.writeUInt16LE(name.length, 26)
  header.writeUInt16LE(extraLength(large), 28)
  header.set(name, 30)
  writeExtra(header, 30 + name.length, entry, large)
  return header
}

/** Behind the content of a late one. */
export function packedDescriptor(record: PackedRecord): Uint8Array {
  const { checksum, size, packed } = record
  const bytes = Buffer.alloc(needs64(record) ? 24 : 16)
  bytes.writeUInt32LE(0x0807_4b50, 0)
  bytes.writeUInt32LE(checksum, 4)
  if (needs64(record)) {
    bytes.writeBigUInt64LE(BigInt(packed), 8)
    bytes.writeBigUInt64LE(BigInt(size), 16)
  } else {
    bytes.writeUInt32LE(packed, 8)
    bytes.writeUInt32LE(size, 12)
  }
  return bytes
}

export function packedCentralHeader(record: PackedRecord, offset: number): Uint8Array {
  const { name, entry, checksum, size, packed } = record
  const large = [size, packed, offset].filter((value) => value >= most32)
  const header = Buffer.alloc(46 + name.length + extraLength(large))
  header.writeUInt32LE(0x0201_4b50, 0)
  header.writeUInt16LE((3 << 8) | 45, 4)
  writeMethod(header, 6, record, large.length > 0 || needs64(record))
  header.writeUInt32LE(checksum, 16)
  header.writeUInt32LE(Math.min(packed, most32), 20)
  header.writeUInt32LE(Math.min(size, most32), 24)
  header.writeUInt16LE(name.length, 28)
  header.writeUInt16LE(extraLength(large), 30)
  header[38] = entry.kind === 'folder' ? 0x10 : 0
  header.writeUInt16LE((entry.kind === 'folder' ? 0o040_000 : 0o100_000) | (entry.mode & 0o777), 40)
  header.writeUInt32LE(Math.min(offset, most32), 42)
  header.set(name, 46)
  writeExtra(header, 46 + name.length, entry, large)
  return header
}

/** Version, flags, method and time. */
function writeMethod(header: Buffer, at: number, { entry, isLate, isStored }: PackedRecord, is64: boolean): void {
  const { time, date } = dosTime(entry.seconds)
  header.writeUInt16LE(is64 ? 45 : 20, at)
  header.writeUInt16LE(namesAreUtf8 | (isLate ? checksumFollows : 0), at + 2)
  header.writeUInt16LE(isStored ? 0 : 8, at + 4)
  header.writeUInt16LE(time, at + 6)
  header.writeUInt16LE(date, at + 8)
}
