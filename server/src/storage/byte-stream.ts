import { Failure } from '../failure.ts'

export async function* inOnePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes
}

/** Ends with a failure where there are more or fewer bytes than were announced. */
export async function* ofLength(
  bytes: AsyncIterable<Uint8Array>,
  length: number | undefined,
): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const piece of bytes) {
    size += piece.length
    if (length !== undefined && size > length) throw new Failure('invalid', 'more bytes came than were announced')
    if (piece.length > 0) yield piece
  }
  if (length !== undefined && size < length)
    throw new Failure('incomplete', 'The connection ended before the file was whole')
}
