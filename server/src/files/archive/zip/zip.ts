import { crc32 } from 'node:zlib'
import { Failure } from '../../../failure.ts'
import type { OpenFile } from '../../../storage/storage.ts'
import type { Scope } from '../../scope.ts'
import { ahead } from '../ahead.ts'
import { piecesOf, smallSize, wholeOf } from '../content.ts'
import type { Member } from '../members.ts'
import { growing } from './growing.ts'
import { centralHeader, descriptor, ending, localHeader, localLength, recordOf, sizeOf } from './records.ts'

/** A part of the archive: from `start` to the byte before `end`. */
export interface Span {
  readonly start: number
  readonly end: number
  /** Is the directory at the end part of it? It needs the checksum of every file, also of those before `start`. */
  readonly hasDirectory: boolean
}

export const everything: Span = { start: 0, end: Number.POSITIVE_INFINITY, hasDirectory: true }

const filesAtOnce = 8

/**
 * Stored, not compressed: the same members give the same bytes every time, so that a part can be asked for. What lies
 * before the part is made for its checksum and comes as an empty piece.
 */
export async function* zipOf(
  scope: Scope,
  members: AsyncIterable<Member> | Iterable<Member>,
  span: Span = everything,
): AsyncGenerator<Uint8Array> {
  const directory = growing()
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
      for await (const piece of piecesOf(open, member.entry.size)) {
        checksum = crc32(piece, checksum)
        yield put(piece)
      }
    } finally {
      open.close()
    }
    yield put(descriptor(record, checksum))
    return checksum
  }

  for await (const { item: member, result: bytes } of ahead(
    members,
    (next) => smallContent(scope, next),
    filesAtOnce,
  )) {
    const start = at
    const record = recordOf(member)
    if (!span.hasDirectory && start >= span.end) return
    let checksum = 0
    if (bytes === 'large') {
      if (!span.hasDirectory && start + localLength(record) <= span.start) at += localLength(record)
      else checksum = yield* file(member)
    } else {
      checksum = crc32(bytes)
      yield put(localHeader(record, checksum))
      yield put(bytes)
    }
    directory.add(centralHeader(record, checksum, start))
    count += 1
  }
  const start = at
  for (const block of directory.blocks()) yield put(block)
  yield put(ending(count, at - start, start))
}

const none = new Uint8Array()

async function smallContent(scope: Scope, member: Member): Promise<Uint8Array | 'large'> {
  const size = sizeOf(member.entry)
  if (size === 0) return none
  if (member.text) return member.text
  if (size > smallSize) return 'large'
  const file = await openSame(scope, member)
  try {
    return await wholeOf(file, size)
  } finally {
    file.close()
  }
}

/** The size has been announced. A log that grew since is cut there, as tar does; another file must not be. */
async function openSame(scope: Scope, { path, entry }: Member): Promise<OpenFile> {
  const file = await scope.open(path)
  if (file.entry.inode === entry.inode && file.entry.device === entry.device) return file
  file.close()
  throw new Failure('changed-meanwhile', `${JSON.stringify(entry.name)} was replaced while it was packed`)
}
