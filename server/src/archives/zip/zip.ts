import { crc32 } from 'node:zlib'
import type { Scope } from '../../access/scope.ts'
import { Failure } from '../../failure.ts'
import type { Entry, OpenFile, WholeFile } from '../../storage/port.ts'
import { passingPiecesOf, shorter, wholeOf } from '../content.ts'
import type { Member } from '../members.ts'
import { withFiles } from '../small-files.ts'
import { joining } from '../stream.ts'
import { type Checksums, noChecksums } from './checksums.ts'
import {
  centralHeader,
  descriptor,
  ending,
  isChecksumLate,
  localHeader,
  localLength,
  measured,
  type Record,
  recordOf,
  sizeOf,
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
  const directory = blockList()
  const joined = joining()
  let at = 0
  let count = 0

  function put(bytes: Uint8Array): Uint8Array {
    const start = at
    at += bytes.length
    return bytes.subarray(Math.max(span.start - start, 0), Math.max(span.end - start, 0))
  }

  async function* large(member: Member, record: Record): AsyncGenerator<Uint8Array, number> {
    yield put(localHeader(record, 0))
    let checksum = 0
    const open = await openSame(scope, member)
    try {
      for await (const piece of passingPiecesOf(open, member.entry.size)) {
        checksum = crc32(piece, checksum)
        yield put(piece)
      }
      if (isUnchanged(open.entry, member)) checksums.note(count, open.entry, checksum)
    } finally {
      open.close()
    }
    yield put(descriptor(record, checksum))
    return checksum
  }

  function small(
    { record, member }: MemberRecord,
    file: WholeFile | undefined,
  ): { pieces: Uint8Array[]; checksum: number } {
    const bytes = member.text ?? (file === undefined ? none : announcedPart(member, file))
    const checksum = crc32(bytes)
    if (file !== undefined && isUnchanged(file.entry, member)) checksums.note(count, file.entry, checksum)
    return { pieces: [put(localHeader(record, checksum)), put(bytes)], checksum }
  }

  const open = ({ member }: MemberRecord) => openWhole(scope, member)
  for await (const group of withFiles(scope, withRecords(runs, span, checksums), open)) {
    const pieces: Uint8Array[] = []
    for (const { item, file } of group) {
      const { member, record, skipped } = item
      const start = at
      let checksum = skipped
      if (checksum !== undefined) at += localLength(record)
      else if (isChecksumLate(record)) {
        yield joined(pieces.splice(0))
        checksum = yield* large(member, record)
      } else {
        const packed = small(item, file)
        checksum = packed.checksum
        pieces.push(...packed.pieces)
      }
      directory.add(centralHeader(record, checksum, start))
      count += 1
    }
    yield joined(pieces)
  }
  if (!span.hasDirectory) return
  const start = at
  for (const block of directory.blocks()) yield put(block)
  yield put(ending(count, at - start, start))
}

type Runs = AsyncIterable<readonly Member[]> | Iterable<readonly Member[]>

interface MemberRecord {
  readonly member: Member
  readonly record: Record
  /** The checksum of a member that is not read. */
  readonly skipped: number | undefined
  readonly isRead: boolean
}

/** The members up to the end of the part. */
async function* withRecords(runs: Runs, span: Span, checksums: Checksums): AsyncGenerator<readonly MemberRecord[]> {
  let [start, place] = [0, 0]
  const recordAt = (member: Member): MemberRecord => {
    const record = recordOf(member)
    start += localLength(record)
    const isBefore = start <= span.start
    const skipped = isBefore ? (span.hasDirectory ? checksums.of(place, member.entry) : 0) : undefined
    place += 1
    const isRead =
      skipped === undefined && sizeOf(member.entry) > 0 && member.text === undefined && !isChecksumLate(record)
    return { member, record, skipped, isRead }
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
      start += localLength(measured(member))
      if (start > from) return bytes
      if (checksums.of(place, member.entry) === undefined) bytes += sizeOf(member.entry)
      place += 1
    }
  return bytes
}

const none = new Uint8Array()

async function openWhole(scope: Scope, member: Member): Promise<WholeFile> {
  const file = await openSame(scope, member)
  try {
    return { entry: file.entry, bytes: await wholeOf(file, member.entry.size) }
  } finally {
    file.close()
  }
}

/** The size has been announced. A log that grew since is cut there, as tar does; another file is an error. */
function announcedPart({ entry }: Member, file: WholeFile): Uint8Array {
  if (!file.entry.isSameAs(entry)) throw replaced(entry)
  if (file.bytes.length < entry.size) throw shorter(entry)
  return file.bytes.subarray(0, entry.size)
}

/** A checksum is noted only of a file that is, while it is open, still as it was announced. */
const isUnchanged = (open: Entry, { entry }: Member): boolean =>
  open.seconds === entry.seconds && open.nanoseconds === entry.nanoseconds && open.size === entry.size

async function openSame(scope: Scope, { path, entry }: Member): Promise<OpenFile> {
  const file = await scope.open(path)
  if (file.entry.isSameAs(entry)) return file
  file.close()
  throw replaced(entry)
}

const replaced = ({ name }: Entry) =>
  new Failure('changed-meanwhile', `${JSON.stringify(name)} was replaced while it was packed`)

/** A million small headers as a few large blocks. */
function blockList() {
  const blocks: Uint8Array[] = []
  let headers: Uint8Array[] = []
  const join = () => {
    blocks.push(Buffer.concat(headers))
    headers = []
  }
  return {
    add(header: Uint8Array): void {
      if (headers.push(header) === 1000) join()
    },
    blocks(): Uint8Array[] {
      join()
      return blocks
    },
  }
}
