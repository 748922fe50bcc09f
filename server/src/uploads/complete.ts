import type { Scope } from '../access/scope.ts'
import { Failure } from '../failure.ts'
import type { Piece } from './append.ts'
import { finish } from './finish.ts'
import type { Upload } from './store.ts'
import type { Uploads } from './uploads.ts'

/** In bytes: so much of a piece may wait in memory for its end. */
const mostHeld = 64 * 1024

/**
 * Is it a small piece that an upload ends with, and nothing to be noted about it before? Then it can be stored in the step
 * that makes the file. Hooks come before that step, and find all bytes in the draft.
 */
export const isSmallEnd = (uploads: Uploads, upload: Upload, { offset, length, checksum }: Piece): boolean =>
  length !== undefined &&
  length <= mostHeld &&
  offset + length === upload.length &&
  checksum === undefined &&
  uploads.changes.hooks === undefined &&
  isUndisturbed(uploads, upload)

/** This node received the last bytes, they are verified, and nobody has announced the upload anew. */
const isUndisturbed = ({ node }: Uploads, { trusted, mayRewind, node: owner }: Upload): boolean =>
  owner === node.id && trusted === undefined && !mayRewind

/** Fails with `wrong-offset` where the draft or the row is not as expected by now. */
export const complete = (
  uploads: Uploads,
  scope: Scope,
  upload: Upload,
  { offset }: Piece,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<void> =>
  finish(uploads, scope, upload, async (current, options) => {
    if (!isUndisturbed(uploads, current)) throw new Failure('wrong-offset', 'The upload has changed meanwhile')
    return scope.completeDraft(current, { offset, bytes }, options)
  })

/** What came of a piece. */
export interface HeldPiece {
  /** All of it, if it came whole. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined
  /** The same bytes once more, and what they ended with. */
  again(): AsyncGenerator<Uint8Array>
}

/** Takes in a piece of `length` bytes. */
export async function hold(bytes: AsyncIterable<Uint8Array>, length: number): Promise<HeldPiece> {
  const chunks: Uint8Array[] = []
  let size = 0
  let failure: { error: unknown } | undefined
  try {
    for await (const chunk of bytes) {
      chunks.push(chunk)
      size += chunk.length
      if (size > length) break
    }
  } catch (error) {
    failure = { error }
  }
  return {
    bytes: failure === undefined && size === length ? joined(chunks) : undefined,
    async *again() {
      yield* chunks
      if (failure !== undefined) throw failure.error
    },
  }
}

const joined = (chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const [first] = chunks
  return chunks.length === 1 && first?.buffer instanceof ArrayBuffer
    ? new Uint8Array(first.buffer, first.byteOffset, first.length)
    : new Uint8Array(Buffer.concat(chunks))
}
