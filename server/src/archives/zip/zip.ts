import { crc32 } from 'node:zlib'
import type { Scope } from '../../access/scope.ts'
import { prefetch } from '../../concurrency/prefetch.ts'
import { Failure } from '../../failure.ts'
import { isSameEntry } from '../../storage/entry.ts'
import type { Entry, OpenFile } from '../../storage/port.ts'
import { passingPiecesOf, smallSize, wholeOf } from '../content.ts'
import type { Member } from '../members.ts'
import { type Checksums, checksumCache } from './checksums.ts'
import {
  centralHeader,
  descriptor,
  ending,
  localHeader,
  localLength,
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

const filesAtOnce = 8

/** Shared by all archives of this process. */
export const commonChecksums = checksumCache()

/**
 * Stored, not compressed: the same members give the same bytes every time, so that a part can be asked for. Members
 * before the part are skipped where their checksum is known or not needed; otherwise they are read for it, and yield
 * empty pieces.
 */
export async function* zipOf(
  scope: Scope,
  members: AsyncIterable<Member> | Iterable<Member>,
  span: Span = everything,
  checksums: Checksums = commonChecksums,
): AsyncGenerator<Uint8Array> {
  const directory = blockList()
  let at = 0
  let count = 0

  function put(bytes: Uint8Array): Uint8Array {
    const start = at
    at += bytes.length
    return bytes.subarray(Math.max(span.start - start, 0), Math.max(span.end - start, 0))
  }

  async function* file(member: Member): AsyncGenerator<Uint8Array, number> {
    const record = recordOf(member)
    yield put(localHeader(record, 0))
    let checksum = 0
    const open = await openSame(scope, member)
    try {
      for await (const piece of passingPiecesOf(open, member.entry.size)) {
        checksum = crc32(piece, checksum)
        yield put(piece)
      }
      noteChecksum(checksums, open.entry, member, checksum)
    } finally {
      open.close()
    }
    yield put(descriptor(record, checksum))
    return checksum
  }

  for await (const { item, result } of prefetch(
    withRecords(members, span, checksums),
    ({ member, skipped }) => (skipped === undefined ? smallContent(scope, member, checksums) : notRead),
    filesAtOnce,
  )) {
    const { member, record, skipped } = item
    const start = at
    let checksum = 0
    if (skipped !== undefined) {
      at += localLength(record)
      checksum = skipped
      yield none
    } else if (result === 'large') checksum = yield* file(member)
    else {
      checksum = crc32(result)
      yield put(localHeader(record, checksum))
      yield put(result)
    }
    directory.add(centralHeader(record, checksum, start))
    count += 1
  }
  if (!span.hasDirectory) return
  const start = at
  for (const block of directory.blocks()) yield put(block)
  yield put(ending(count, at - start, start))
}

interface MemberRecord {
  readonly member: Member
  readonly record: Record
  /** The checksum of a member that is not read. */
  readonly skipped: number | undefined
}

const notRead = Promise.resolve<Uint8Array | 'large'>('large')

/** The members up to the end of the part. */
async function* withRecords(
  members: AsyncIterable<Member> | Iterable<Member>,
  span: Span,
  checksums: Checksums,
): AsyncGenerator<MemberRecord> {
  let start = 0
  for await (const member of members) {
    if (!span.hasDirectory && start >= span.end) return
    const record = recordOf(member)
    start += localLength(record)
    const isBefore = start <= span.start
    yield { member, record, skipped: isBefore ? (span.hasDirectory ? checksums.of(member.entry) : 0) : undefined }
  }
}

/** How many bytes of content lie before a part, and have to be read again only for their checksums. */
export function bytesToReread(members: readonly Member[], { start: from, hasDirectory }: Span): number {
  if (!hasDirectory) return 0
  let [start, bytes] = [0, 0]
  for (const member of members) {
    start += localLength(recordOf(member))
    if (start > from) break
    if (commonChecksums.of(member.entry) === undefined) bytes += sizeOf(member.entry)
  }
  return bytes
}

const none = new Uint8Array()

async function smallContent(scope: Scope, member: Member, checksums: Checksums): Promise<Uint8Array | 'large'> {
  const size = sizeOf(member.entry)
  if (size === 0) return none
  if (member.text) return member.text
  if (size > smallSize) return 'large'
  const file = await openSame(scope, member)
  try {
    const bytes = await wholeOf(file, size)
    noteChecksum(checksums, file.entry, member, crc32(bytes))
    return bytes
  } finally {
    file.close()
  }
}

/** Only of a file that is, while it is open, still as it was announced. */
function noteChecksum(checksums: Checksums, open: Entry, { entry }: Member, checksum: number): void {
  const isSame = open.seconds === entry.seconds && open.nanoseconds === entry.nanoseconds && open.size === entry.size
  if (isSame) checksums.note(open, checksum)
}

/** The size has been announced. A log that grew since is cut there, as tar does; another file is an error. */
async function openSame(scope: Scope, { path, entry }: Member): Promise<OpenFile> {
  const file = await scope.open(path)
  if (isSameEntry(file.entry, entry)) return file
  file.close()
  throw new Failure('changed-meanwhile', `${JSON.stringify(entry.name)} was replaced while it was packed`)
}

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
