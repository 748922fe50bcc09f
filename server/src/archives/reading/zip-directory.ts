import type { NameEncoding } from '@filestead/contract'
import type { Cancellation } from '../../concurrency/cancellation.ts'
import { timeSlices } from '../../concurrency/time-slices.ts'
import { Failure } from '../../failure.ts'
import { type EntryIndex, indexBuilder } from './entry-index.ts'
import { limits, tooManyEntries } from './limits.ts'
import { sortNumbers } from './sorted-numbers.ts'
import { broken, type Source } from './source.ts'
import { centralLength, readCentral } from './zip-headers.ts'

const endSignature = 0x0605_4b50
const endLength = 22
const longestComment = 0xffff
const locatorLength = 20
const end64Length = 56
const pieceSize = 1 << 20

/** Where the table of contents of a zip lies, as its end tells. */
interface Directory {
  readonly start: number
  readonly size: number
  readonly count: number
  /** What stands before the archive in the same file: a program that extracts itself. */
  readonly shift: number
}

/** Undefined where the file does not end as a zip does. */
export async function findDirectory(source: Source): Promise<Directory | undefined> {
  const length = Math.min(source.size, endLength + longestComment)
  const tail = Buffer.from(await source.read(source.size - length, length))
  for (let at = length - endLength; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== endSignature) continue
    // A comment may hold what looks like an end; the true one is as long as it says.
    if (at + endLength + tail.readUInt16LE(at + 20) !== length) continue
    return directoryAt(source, tail.subarray(at, at + endLength), source.size - length + at)
  }
  return undefined
}

async function directoryAt(source: Source, end: Buffer, at: number): Promise<Directory> {
  const large = await large64(source, at)
  const [disk, first] = [end.readUInt16LE(4), end.readUInt16LE(6)]
  if (large === undefined && (disk !== 0 || first !== 0))
    throw new Failure('unsupported-type', 'The archive is one of several parts')
  const { count, size, start, before } = large ?? {
    count: end.readUInt16LE(10),
    size: end.readUInt32LE(12),
    start: end.readUInt32LE(16),
    before: at,
  }
  if (count > limits.entries || size > limits.directory) throw tooManyEntries()
  const shift = before - size - start
  if (shift < 0 || start < 0 || size < 0) throw broken()
  return { start: start + shift, size, count, shift }
}

/** The end of a zip that is too large for the numbers of the usual one; it stands before that. */
async function large64(source: Source, end: number) {
  if (end < locatorLength) return undefined
  const locator = Buffer.from(await source.read(end - locatorLength, locatorLength))
  if (locator.readUInt32LE(0) !== 0x0706_4b50) return undefined
  const declared = number64(locator, 8)
  // Behind a program that extracts itself it lies elsewhere, but always right before its locator.
  for (const at of [declared, end - locatorLength - end64Length]) {
    if (at < 0 || at + end64Length > end) continue
    const record = Buffer.from(await source.read(at, end64Length))
    if (record.readUInt32LE(0) !== 0x0606_4b50) continue
    return { count: number64(record, 32), size: number64(record, 40), start: number64(record, 48), before: at }
  }
  throw broken()
}

function number64(bytes: Buffer, at: number): number {
  const value = Number(bytes.readBigUInt64LE(at))
  if (!Number.isSafeInteger(value)) throw broken()
  return value
}

export interface ReadOptions {
  encoding?: NameEncoding | undefined
  signal?: Cancellation | undefined
}

/** All entries of a zip, and a refusal of one whose entries share bytes: that is how few bytes become petabytes. */
export async function readZipIndex(
  source: Source,
  directory: Directory,
  { encoding, signal }: ReadOptions,
): Promise<EntryIndex> {
  const { start, size, shift } = directory
  const builder = indexBuilder(encoding)
  const extents = extentsBelow(start)
  const pause = timeSlices(signal)
  let pending: Buffer = Buffer.alloc(0)
  let count = 0
  for (let at = start; at < start + size; at += pieceSize) {
    const piece = await source.read(at, Math.min(pieceSize, start + size - at))
    const bytes =
      pending.length === 0 ? Buffer.from(piece.buffer, piece.byteOffset, piece.length) : Buffer.concat([pending, piece])
    let used = 0
    for (let length = centralLength(bytes, used); length !== undefined; length = centralLength(bytes, used)) {
      const header = readCentral(bytes, used, length, shift)
      builder.add(header)
      extents.add(header.offset, 30 + header.name.length + header.packedSize)
      used += length
      count += 1
      if (count > limits.entries) throw tooManyEntries()
      const rest = count % 256 === 0 ? pause() : undefined
      if (rest !== undefined) await rest
    }
    pending = bytes.subarray(used)
    signal?.throwIfAborted()
  }
  // Writers without the large format tell of more than 65,535 entries what is left over.
  if (pending.length > 0 || count % 65_536 !== directory.count % 65_536) throw broken()
  await extents.check(signal)
  return builder.end(signal)
}

interface Extents {
  add(start: number, length: number): void
  /** Refuses where two have a byte in common. */
  check(signal?: Cancellation): Promise<void>
}

/** The bytes that entries take up, of which each belongs to one entry, and none to what comes at `limit`. */
function extentsBelow(limit: number): Extents {
  let starts = new Float64Array(1024)
  let ends = new Float64Array(1024)
  let count = 0
  let last = 0
  let isInOrder = true
  return {
    add(start, length) {
      const end = start + length
      if (!(start >= 0 && length >= 0 && end <= limit)) throw broken()
      if (start < last) isInOrder = false
      last = end
      if (count === starts.length) [starts, ends] = [doubled(starts), doubled(ends)]
      starts[count] = start
      ends[count] = end
      count += 1
    },
    async check(signal) {
      if (isInOrder) return
      const [begun, ended] = [starts.subarray(0, count), ends.subarray(0, count)]
      await sortNumbers(begun, signal)
      await sortNumbers(ended, signal)
      // In order of their own, the first end must come before the second start, and so on; else two are open at once.
      for (let at = 1; at < count; at += 1) if ((ended[at - 1] as number) > (begun[at] as number)) throw overlapping()
    },
  }
}

function doubled(numbers: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(numbers.length * 2)
  larger.set(numbers)
  return larger
}

const overlapping = () => new Failure('invalid', 'entries of the archive overlap: it is taken for a trap')
