import { prefetch } from '../concurrency/prefetch.ts'
import { Failure } from '../failure.ts'
import type { Content, Entry, OpenFile } from '../storage/port.ts'

const pieceSize = 262_144

/** The first `size` bytes, which have been announced: a file that has become shorter is an error. */
export async function wholeOf({ entry, content, bytes: known }: OpenFile, size: number): Promise<Uint8Array> {
  const bytes = known === undefined ? await bytesIn(content, 0, size) : known.subarray(0, size)
  if (bytes.length !== size) throw shorter(entry)
  return bytes
}

/** The same in pieces, from `from` on; the next one is read while the last one is used. */
export async function* piecesOf({ entry, content }: OpenFile, size: number, from = 0): AsyncGenerator<Uint8Array> {
  const read = async (start: number): Promise<Uint8Array> => {
    const end = Math.min(start + pieceSize, size)
    const bytes = await bytesIn(content, start, end)
    if (bytes.length !== end - start) throw shorter(entry)
    return bytes
  }
  for await (const { result } of prefetch(starts(from, size), read, 2)) yield result
}

/** So many pieces are read ahead of the one in use. */
const piecesAhead = 2

/**
 * The same for a consumer that is done with a piece when it asks for the next one: a few pieces of memory are filled again
 * and again. New memory for every piece keeps the garbage collector busy for half of the time.
 */
export async function* passingPiecesOf(file: OpenFile, size: number, from = 0): AsyncGenerator<Uint8Array> {
  const { entry, readInto } = file
  if (readInto === undefined) return yield* piecesOf(file, size, from)
  const memory = Array.from({ length: piecesAhead + 2 }, () => new Uint8Array(Math.min(pieceSize, size)))
  const read = async (start: number): Promise<Uint8Array> => {
    const slot = memory[((start - from) / pieceSize) % memory.length] as Uint8Array
    const piece = slot.subarray(0, size - start)
    if ((await readInto(piece, start)) !== piece.length) throw shorter(entry)
    return piece
  }
  for await (const { result } of prefetch(starts(from, size), read, piecesAhead + 1)) yield result
}

export const shorter = ({ name }: Entry) =>
  new Failure('changed-meanwhile', `${JSON.stringify(name)} has become shorter while it was packed`)

const bytesIn = async (content: Content, start: number, end: number): Promise<Uint8Array> =>
  new Uint8Array(await content.slice(start, end).arrayBuffer())

function* starts(from: number, size: number): Generator<number> {
  for (let start = from; start < size; start += pieceSize) yield start
}
