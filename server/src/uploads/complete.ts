import type { Scope } from '../access/scope.ts'
import type { Piece } from './append.ts'
import { finish, makeWhole } from './finish.ts'
import { draftOf } from './places.ts'
import type { Upload } from './store.ts'
import type { Owner, Uploads } from './uploads.ts'

/** In bytes: so much of a piece is held in memory. */
const mostHeld = 64 * 1024

/** Can so many bytes be held until all are there? Hooks come before the step that makes the file, and find all bytes in the draft. */
export const mayComeWhole = ({ changes }: Uploads, length: number): boolean =>
  length <= mostHeld && changes.hooks === undefined

/** A piece that can be held. */
export const isSmall = (uploads: Uploads, piece: Piece): piece is Piece & { length: number } =>
  piece.length !== undefined && mayComeWhole(uploads, piece.length) && piece.checksum === undefined

/** Does the upload end with a piece of this length, and is nothing to be noted before its bytes are on the disk? */
export const endsWith = ({ node, syncing }: Uploads, upload: Upload, { offset, length = 0 }: Piece): boolean =>
  offset + length === upload.length &&
  upload.node === node.id &&
  upload.kernel === node.kernel &&
  upload.trusted === undefined &&
  !upload.mayRewind &&
  !syncing.isAtWork(upload.id)

/** Makes the file with its last bytes in one step. Fails with `wrong-offset` where the draft ends elsewhere. */
export const complete = (
  uploads: Uploads,
  scope: Scope,
  upload: Upload,
  { offset }: Piece,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<void> =>
  finish(uploads, scope, upload, (options) => scope.completeDraft(draftOf(scope, upload), { offset, bytes }, options))

/** Makes the file of an upload that has neither row nor draft. False where it has them, or more is to come. */
export const comesWhole = async (
  uploads: Uploads,
  scope: Scope,
  owner: Owner,
  upload: Upload,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<boolean> =>
  bytes.length === upload.length &&
  (await uploads.held.end(upload.id, async () => {
    const changes = { ...uploads.changes, batch: uploads.changes.batch ?? upload.id }
    await makeWhole({ ...uploads, changes }, scope, owner, upload, bytes)
    uploads.telling.done(upload)
    return true
  })) === true

/** What came of a piece. */
interface HeldPiece {
  /** All of it, if it came whole. */
  readonly bytes: Uint8Array<ArrayBuffer> | undefined
  /** The same bytes once more, and what comes behind them. */
  again(): AsyncGenerator<Uint8Array>
}

/** Takes in a piece of `length` bytes, as long as they come without a pause: what a slow sender has sent belongs on the disk. */
export async function hold(bytes: AsyncIterable<Uint8Array>, length: number): Promise<HeldPiece> {
  const source = bytes[Symbol.asyncIterator]()
  const chunks: Uint8Array[] = []
  let size = 0
  let next = source.next()
  let isWhole = false
  try {
    while (size <= length) {
      // Nothing is held yet, or only the end is to come.
      const result = size === 0 || size === length ? await next : await inTime(next)
      if (result === undefined) break
      if (result.done) {
        isWhole = size === length
        break
      }
      chunks.push(result.value)
      size += result.value.length
      next = source.next()
    }
  } catch {
    // Asked again, it fails again.
  }
  next.catch(() => {})
  return {
    bytes: isWhole ? joined(chunks) : undefined,
    async *again() {
      try {
        yield* chunks
        for (let result = await next; !result.done; result = await source.next()) yield result.value
      } finally {
        // Not awaited: a source that has fallen silent may never answer.
        void source.return?.().catch(() => {})
      }
    },
  }
}

/** In milliseconds. */
const longestPause = 20

async function inTime<T>(promise: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => late.resolve(undefined), longestPause)
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

const joined = (chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const [first] = chunks
  return chunks.length === 1 && first?.buffer instanceof ArrayBuffer
    ? new Uint8Array(first.buffer, first.byteOffset, first.length)
    : new Uint8Array(Buffer.concat(chunks))
}
