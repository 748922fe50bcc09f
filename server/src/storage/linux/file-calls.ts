import { close, fstat, fsync, ftruncate, read, writev, writevSync } from 'node:fs'
import { promisify } from 'node:util'

/** What is done with an open file while bytes arrive for it. None of these keeps its caller's thread waiting. */
export interface FileCalls {
  /** Pieces are written one behind the other. */
  write(fd: number, pieces: readonly Uint8Array[], position: number): Promise<void>
  /** Answers how many bytes came: fewer than there is room for where the file ends. */
  read(fd: number, into: Uint8Array, position: number): Promise<number>
  truncate(fd: number, size: number): Promise<void>
  sizeOf(fd: number): Promise<number>
  sync(fd: number): Promise<void>
}

const writeAt = promisify(writev)
const readAt = promisify(read)
const statOf = promisify(fstat)
const mostPieces = 1024

/** On a disk that is throttled a write sleeps, and so may all others: the runtime's own threads make these calls. */
export const fileCalls: FileCalls = {
  write: (fd, pieces, position) =>
    writeAll(pieces, position, async (rest, at) => (await writeAt(fd, rest, at)).bytesWritten),
  read: async (fd, into, position) => (await readAt(fd, into, 0, into.length, position)).bytesRead,
  truncate: promisify(ftruncate),
  sizeOf: async (fd) => (await statOf(fd)).size,
  sync: promisify(fsync),
}

/** To hand so little to another thread takes longer than to write it. */
const smallWrite = 16 * 1024

/** The same for a thread that may wait for a disk. */
export const patientFileCalls: Pick<FileCalls, 'read' | 'write' | 'truncate' | 'sync'> = {
  ...fileCalls,
  write: (fd, pieces, position) =>
    writeAll(pieces, position, async (rest, at) =>
      isSmall(rest) ? writevSync(fd, rest, at) : (await writeAt(fd, rest, at)).bytesWritten,
    ),
}

/** Closing may wait for a network mount, and there is nothing to do about a failure. */
export const closeBeside = (fd: number): void => close(fd, () => {})

async function writeAll(
  pieces: readonly Uint8Array[],
  position: number,
  write: (pieces: Uint8Array[], position: number) => Promise<number>,
): Promise<void> {
  let at = position
  for (let next = 0; next < pieces.length; next += mostPieces) {
    for (let rest = pieces.slice(next, next + mostPieces); rest.length > 0; ) {
      const length = await write(rest, at)
      at += length
      rest = behind(length, rest)
    }
  }
}

const isSmall = (pieces: readonly Uint8Array[]): boolean =>
  pieces.reduce((length, piece) => length + piece.length, 0) <= smallWrite

/** What is left of the pieces behind so many bytes. */
function behind(length: number, pieces: readonly Uint8Array[]): Uint8Array[] {
  let cut = length
  let index = 0
  for (let piece = pieces[0]; piece !== undefined && piece.length <= cut; piece = pieces[index]) {
    cut -= piece.length
    index += 1
  }
  const [first, ...others] = pieces.slice(index)
  return first === undefined ? [] : [first.subarray(cut), ...others]
}
