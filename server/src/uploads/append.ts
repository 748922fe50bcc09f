import type { Scope } from '../access/scope.ts'
import { isUnwritable } from '../database/port.ts'
import { Failure, isFailure } from '../failure.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { OpenDraft } from '../storage/port.ts'
import { type Checker, type Checksum, checker } from './checksum.ts'
import { finish } from './finish.ts'
import { findFinished } from './finished.ts'
import type { Upload } from './store.ts'
import { expiryFrom, findUpload, keyOf, noSuchUpload, type Owner, ownerOf, type Uploads } from './uploads.ts'
import type { Writer } from './writers.ts'

export interface Piece {
  readonly offset: number
  readonly bytes: AsyncIterable<Uint8Array>
  /** How many bytes the sender announced for this piece. */
  readonly length: number | undefined
  readonly checksum: Checksum | undefined
}

export interface Progress {
  readonly offset: number
  readonly length: number
  /** Nothing once the file is in its place. */
  readonly expiresAt: number | undefined
}

/** Adds bytes to an upload; with the last one the file appears. */
export function appendToUpload(uploads: Uploads, scope: Scope, path: VirtualPath, piece: Piece): Promise<Progress> {
  scope.requireVisible(path)
  const owner = ownerOf(scope, path)
  return uploads.writers.alone(keyOf(owner), async (writer) => {
    const upload = await requireOpen(uploads, scope, owner)
    const draft = await scope.openDraft(upload)
    let isChecked = piece.checksum === undefined
    try {
      await prepare(uploads, upload, draft, piece)
      await receive(draft, upload, piece, writer)
      isChecked = true
      const { size: offset } = draft
      if (offset === upload.length) {
        await finish(uploads, scope, upload, draft)
        return { offset, length: upload.length, expiresAt: undefined }
      }
      // The client goes on from the offset it is told, also after a power cut.
      await Promise.all([draft.sync(), uploads.store.sync()])
      return { offset, length: upload.length, expiresAt: await noteProgress(uploads, upload, piece, isChecked) }
    } catch (error) {
      if (!isRefusal(error)) await noteProgress(uploads, upload, piece, isChecked).catch(() => {})
      throw error
    } finally {
      draft.close()
    }
  })
}

/** A client that sends to a finished upload is told so, or it would begin anew. */
async function requireOpen(uploads: Uploads, scope: Scope, owner: Owner): Promise<Upload> {
  const upload = await findUpload(uploads, owner)
  if (upload !== undefined) return upload
  const isFinished = (await findFinished(uploads, scope, owner)) !== undefined
  throw isFinished ? new Failure('wrong-offset', 'The upload is complete') : noSuchUpload()
}

/** Brings the draft to where the piece begins, if it may begin there. */
async function prepare({ store, node }: Uploads, upload: Upload, draft: OpenDraft, piece: Piece): Promise<void> {
  // A process died in the middle of a piece that was to be checked as a whole.
  if (upload.trusted !== undefined && upload.trusted < draft.size) await draft.truncate(upload.trusted)
  if (piece.offset > upload.length) throw new Failure('invalid', 'the upload offset is beyond the upload length')
  const isRewound = upload.mayRewind && piece.offset === 0
  if (piece.offset !== draft.size && !isRewound)
    throw new Failure('wrong-offset', `The upload goes on at ${draft.size}, not at ${piece.offset}`)
  if (piece.length !== undefined && piece.offset + piece.length > upload.length) throw tooMuch()
  if (isRewound) await draft.truncate(0)
  const trusted = piece.checksum && piece.offset
  // What another node began and left is ours now.
  if (upload.mayRewind || trusted !== upload.trusted || upload.node !== node.id)
    await store.change(upload.id, { mayRewind: false, trusted, node: node.id })
}

/** What came before a line broke or a disk was full stays, unless it was to be judged as a whole. */
async function receive(draft: OpenDraft, upload: Upload, { bytes, checksum }: Piece, writer: Writer): Promise<void> {
  const start = draft.size
  const check = checker(checksum)
  try {
    await draft.append(watched(writer.listen(bytes), upload.length - start, check))
    check.verify()
  } catch (error) {
    if (checksum !== undefined || isFailure(error, 'too-large')) await draft.truncate(start)
    else await draft.sync().catch(() => {})
    throw error
  }
}

async function* watched(bytes: AsyncIterable<Uint8Array>, most: number, check: Checker): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const piece of bytes) {
    size += piece.length
    if (size > most) throw tooMuch()
    check.update(piece)
    yield piece
  }
}

const expiryStep = 60

/** The time starts anew with every piece, but is written down only when that makes a difference. */
async function noteProgress(
  uploads: Uploads,
  upload: Upload,
  { checksum }: Piece,
  isChecked: boolean,
): Promise<number> {
  const expiresAt = expiryFrom(uploads)
  const isLater = expiresAt - upload.expiresAt >= Math.min(expiryStep, uploads.lifetime / 10)
  if (!isLater && checksum === undefined) return upload.expiresAt
  try {
    await uploads.store.change(upload.id, { expiresAt, ...(isChecked && { trusted: undefined }) })
  } catch (error) {
    // The bytes are there; that they are checked would have to be known, that they have more time would not.
    if (checksum !== undefined || !isUnwritable(error)) throw error
    return upload.expiresAt
  }
  return expiresAt
}

const isRefusal = (error: unknown): boolean =>
  (['invalid', 'wrong-offset', 'too-large'] as const).some((code) => isFailure(error, code))

const tooMuch = () => new Failure('too-large', 'More bytes came than were announced')
