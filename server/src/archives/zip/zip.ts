import { crc32 } from 'node:zlib'
import type { Scope } from '../../access/scope.ts'
import { Failure } from '../../failure.ts'
import type { Entry, OpenFile, WholeFile } from '../../storage/port.ts'
import { passingPiecesOf, wholeOf } from '../content.ts'
import type { Member } from '../members.ts'
import { isUnchanged, type Placed, type PlacedFile, placed } from '../placed.ts'
import { type Checksums, noChecksums } from './checksums.ts'
import {
  descriptor,
  ending,
  isChecksumLate,
  localLength,
  type Record,
  recordOf,
  sizeOf,
  writeCentralHeader,
  writeLocalHeader,
} from './records.ts'

/** A part of the archive: from `start` to the byte before `end`. */
export interface Span {
  readonly start: number
  readonly end: number
  /** Is the directory at the end part of it? It needs the checksum of every file, also of those before `start`. */
  readonly hasDirectory: boolean
}

export const everything: Span = { start: 0, end: Number.POSITIVE_INFINITY, hasDirectory: true }

/**
 * Stored, not compressed: the same members give the same bytes every time, so that a part can be asked for. Members
 * before the part are skipped where their checksum is known or not needed; otherwise they are read for it, and yield
 * empty pieces.
 */
export async function* zipOf(
  scope: Scope,
  runs: Runs,
  span: Span = everything,
  checksums: Checksums = noChecksums,
): AsyncGenerator<Uint8Array> {
  const directory = directoryList()
  let at = 0
  let count = 0

  function put(bytes: Uint8Array): Uint8Array {
    const start = at
    at += bytes.length
    const from = Math.min(Math.max(span.start - start, 0), bytes.length)
    const to = Math.max(Math.min(span.end - start, bytes.length), from)
    // Not as a Buffer, whose slices are no copies.
    return new Uint8Array(bytes.buffer, bytes.byteOffset + from, to - from)
  }
  function list(record: Record, checksum: number, offset: number): void {
    if (span.hasDirectory) directory.add(record, checksum, offset)
    count += 1
  }

  async function* large({ member, record }: MemberRecord): AsyncGenerator<Uint8Array, number> {
    const header = Buffer.allocUnsafe(mostOfHeader + record.nameLength)
    yield put(header.subarray(0, writeLocalHeader(header, 0, record, 0)))
    let checksum = 0
    const open = member.text === undefined ? await openSame(scope, member) : undefined
    try {
      const pieces = open === undefined ? [member.text ?? none] : passingPiecesOf(open, member.entry.size)
      for await (const piece of pieces) {
        checksum = crc32(piece, checksum)
        yield put(piece)
      }
      // Noted only of a file that is, while it is open, still as it was announced.
      if (open !== undefined && isUnchanged(open.entry, member.entry)) checksums.note(count, open.entry, checksum)
    } finally {
      open?.close()
    }
    yield put(descriptor(record, checksum))
    return checksum
  }

  /** All around the contents of the files, which are in their places. Answers the checksum. */
  function small({ record, member }: MemberRecord, file: PlacedFile | undefined, into: Buffer, start: number): number {
    const content = start + localLength(record) - sizeOf(member.entry)
    if (member.text !== undefined) into.set(member.text, content)
    const checksum = file?.checksum ?? crc32(member.text ?? none)
    if (file !== undefined && isUnchanged(file.entry, member.entry)) checksums.note(count, file.entry, checksum)
    // Memory that is used again holds what others were sent.
    if (writeLocalHeader(into, start, record, checksum) !== content) throw new Error('A header has another length')
    return checksum
  }

  const open = ({ member }: MemberRecord) => openWhole(scope, member)
  for await (const { items, files, memory } of placed(scope, withRecords(runs, span, checksums), open)) {
    let end = 0
    for (const [index, item] of items.entries()) {
      const { record, skipped } = item
      const start = at + end
      if (item.around !== undefined) {
        list(record, small(item, files[index], memory, end), start)
        end += localLength(record)
      } else if (skipped === undefined) list(record, yield* large(item), start)
      else {
        list(record, skipped, start)
        at += localLength(record)
      }
    }
    if (end > 0) yield put(memory.subarray(0, end))
  }
  if (!span.hasDirectory) return
  const start = at
  for (const block of directory.blocks()) yield put(block)
  yield put(ending(count, at - start, start))
}

type Runs = AsyncIterable<readonly Member[]> | Iterable<readonly Member[]>

interface MemberRecord extends Placed {
  readonly record: Record
  /** The checksum of a member that is not read. */
  readonly skipped: number | undefined
}

/** The members up to the end of the part. */
async function* withRecords(runs: Runs, span: Span, checksums: Checksums): AsyncGenerator<readonly MemberRecord[]> {
  let [start, place] = [0, 0]
  const recordAt = (member: Member): MemberRecord => {
    const record = recordOf(member)
    const length = localLength(record)
    start += length
    const isBefore = start <= span.start
    const skipped = isBefore ? (span.hasDirectory ? checksums.of(place, member.entry) : 0) : undefined
    place += 1
    const isByItself = skipped !== undefined || isChecksumLate(record)
    const isRead = !isByItself && sizeOf(member.entry) > 0 && member.text === undefined
    const around = isByItself ? undefined : length - (isRead ? member.entry.size : 0)
    return { member, record, skipped, isRead, around }
  }
  for await (const run of runs) {
    const records: MemberRecord[] = []
    for (const member of run) if (span.hasDirectory || start < span.end) records.push(recordAt(member))
    yield records
    if (records.length < run.length) return
  }
}

/** How many bytes of content lie before a part, and have to be read again only for their checksums. */
export function bytesToReread(
  runs: Iterable<readonly Member[]>,
  { start: from, hasDirectory }: Span,
  checksums: Checksums,
): number {
  if (!hasDirectory) return 0
  let [start, place, bytes] = [0, 0, 0]
  for (const run of runs)
    for (const member of run) {
      start += localLength(recordOf(member))
      if (start > from) return bytes
      if (checksums.of(place, member.entry) === undefined) bytes += sizeOf(member.entry)
      place += 1
    }
  return bytes
}

const none = new Uint8Array()

/** The size has been announced. A log that grew since is cut there, as tar does; another file is an error. */
async function openWhole(scope: Scope, member: Member): Promise<WholeFile> {
  const file = await openSame(scope, member)
  try {
    return { entry: file.entry, bytes: await wholeOf(file, member.entry.size) }
  } finally {
    file.close()
  }
}

async function openSame(scope: Scope, { path, entry }: Member): Promise<OpenFile> {
  const file = await scope.open(path)
  if (file.entry.isSameAs(entry)) return file
  file.close()
  throw replaced(entry)
}

const replaced = ({ name }: Entry) =>
  new Failure('changed-meanwhile', `${JSON.stringify(name)} was replaced while it was packed`)

/** A million small headers as a few large blocks. */
function directoryList() {
  const blocks: Buffer[] = []
  let [block, end] = [Buffer.alloc(0), 0]
  const close = () => {
    if (end > 0) blocks.push(block.subarray(0, end))
  }
  return {
    add(record: Record, checksum: number, offset: number): void {
      if (end + mostOfHeader + record.nameLength > block.length) {
        close()
        block = Buffer.allocUnsafeSlow(Math.max(blockLength, mostOfHeader + record.nameLength))
        end = 0
      }
      end = writeCentralHeader(block, end, record, { checksum, offset })
    },
    blocks(): Uint8Array[] {
      close()
      return blocks
    },
  }
}

const blockLength = 65_536
/** Without its name. */
const mostOfHeader = 100
