import { Failure } from '../../failure.ts'

/** In bytes: a page of a thousand names of full length, all of whose letters are escaped, is less than half of it. */
const longestText = 16 * 1_048_576

/** A server that does not end its answer must not take all memory. */
export async function textIn(response: Response, most = longestText): Promise<string> {
  return (await bytesIn(response, most)).toString()
}

/** All of the body, which is not longer than that. */
export async function bytesIn({ body }: Response, most: number): Promise<Buffer<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  let length = 0
  // Leaving the loop ends the connection.
  for await (const piece of body ?? []) {
    length += piece.length
    if (length > most) throw new Failure('unavailable', 'The object storage sent more than was asked for')
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
