import type { Scope } from '../access/scope.ts'
import { isUnwritable } from '../database/port.ts'
import { Failure, isFailure } from '../failure.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { OpenDraft } from '../storage/port.ts'
import { type Checker, type Checksum, checker } from './checksum.ts'
import { comesWhole, complete, endsWith, hold, isSmall } from './complete.ts'
import { asAnnounced, findFinished, finish } from './finish.ts'
import type { LockHolder } from './locks.ts'
import { noSuchUpload } from './places.ts'
import { keyOf, type Upload } from './store.ts'
import { expiryFrom, findUpload, type Owner, openAlone, ownerOf, type Uploads, usableSize } from './uploads.ts'

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
  /** Undefined once the upload has become a file. */
  readonly expiresAt: number | undefined
}

/** Appends bytes to an upload; with the last one it becomes a file. */
export function appendToUpload(uploads: Uploads, scope: Scope, path: VirtualPath, piece: Piece): Promise<Progress> {
  const owner = ownerOf(scope, path)
  return uploads.locks.withUpload(keyOf(owner), (holder) => appendAs(holder, uploads, scope, owner, piece))
}

async function appendAs(
  holder: LockHolder,
  uploads: Uploads,
  scope: Scope,
  owner: Owner,
  piece: Piece,
): Promise<Progress> {
  const bytes = holder.receive(piece.bytes)
  if (!isSmall(uploads, piece)) {
    const upload = await requireOpen(uploads, scope, owner)
    await uploads.held.write(upload)
    return append(uploads, scope, upload, { ...piece, bytes })
  }
  const held = await hold(bytes, piece.length)
  const upload = await requireOpen(uploads, scope, owner)
  const isEnd = held.bytes !== undefined && endsWith(uploads, upload, piece)
  if (isEnd && (await comesWhole(uploads, scope, owner, upload, held.bytes))) return wholeOf(upload)
  await uploads.held.write(upload)
  if (isEnd && (await completes(uploads, scope, upload, piece, held.bytes))) return wholeOf(upload)
  return append(uploads, scope, upload, { ...piece, bytes: held.again() })
}

const wholeOf = ({ length }: Upload): Progress => ({ offset: length, length, expiresAt: undefined })

async function append(uploads: Uploads, scope: Scope, found: Upload, piece: Piece): Promise<Progress> {
  const { upload, draft } = await openAlone(uploads, scope, found)
  let isChecked = piece.checksum === undefined
  try {
    await seek(uploads, upload, draft, piece)
    await receive(uploads, scope, draft, upload, piece)
    isChecked = true
    const { size: offset } = draft
    if (offset === upload.length) {
      await uploads.syncing.end(upload.id)
      await finish(uploads, scope, await asAnnounced(uploads, upload), (options) => draft.commit(options))
      return { offset, length: upload.length, expiresAt: undefined }
    }
    uploads.syncing.later(scope, upload, offset)
    return { offset, length: upload.length, expiresAt: await prolong(uploads, upload, piece, isChecked) }
  } catch (error) {
    if (!isRefusal(error)) await prolong(uploads, upload, piece, isChecked).catch(() => {})
    throw error
  } finally {
    draft.close()
  }
}

/** Makes the file with its last bytes in one step. False where that takes a closer look at the draft. */
async function completes(
  uploads: Uploads,
  scope: Scope,
  upload: Upload,
  piece: Piece,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  try {
    await complete(uploads, scope, upload, piece, bytes)
    return true
  } catch (error) {
    if (isFailure(error, 'wrong-offset')) return false
    if (!isRefusal(error)) await prolong(uploads, upload, piece, true).catch(() => {})
    throw error
  }
}

/** Sending to a finished upload has an error of its own: after "no such upload" a client would begin anew. */
async function requireOpen(uploads: Uploads, scope: Scope, owner: Owner): Promise<Upload> {
  const upload = await findUpload(uploads, scope, owner)
  if (upload !== undefined) return upload
  const isFinished = (await findFinished(uploads, scope, owner)) !== undefined
  throw isFinished ? new Failure('wrong-offset', 'The upload is complete') : noSuchUpload()
}

/** Cuts the draft to where the piece begins, and refuses a piece that may not begin there. */
async function seek(uploads: Uploads, upload: Upload, draft: OpenDraft, piece: Piece): Promise<void> {
  const { store, node, syncing } = uploads
  const usable = usableSize(uploads, upload, draft.size)
  const isRewound = upload.mayRewind && piece.offset === 0
  // From here on, the node that received before notes nothing about it any more.
  if (upload.node !== node.id) await store.change(upload.id, { node: node.id })
  // What is noted about the bytes that go now must not be noted about those that come.
  if (usable < draft.size || isRewound) await syncing.end(upload.id).catch(() => {})
  if (usable < draft.size) await draft.truncate(usable)
  if (piece.offset > upload.length) throw new Failure('invalid', 'the upload offset is beyond the upload length')
  if (piece.offset !== draft.size && !isRewound)
    throw new Failure('wrong-offset', `The upload goes on at ${draft.size}, not at ${piece.offset}`)
  if (piece.length !== undefined && piece.offset + piece.length > upload.length) throw tooMuch()
  if (isRewound) {
    await store.change(upload.id, { synced: 0 })
    await draft.truncate(0)
  }
  const trusted = piece.checksum && piece.offset
  const { kernel } = node
  // This node takes over what another one began, or what was begun before the last boot.
  const isTakenOver = upload.node !== node.id || (upload.kernel !== kernel && upload.synced !== undefined)
  if (upload.mayRewind || trusted !== upload.trusted || isTakenOver)
    await store.change(upload.id, { mayRewind: false, trusted, node: node.id, kernel })
}

/** Bytes that came before a connection broke or a disk was full stay, except those of a piece with a checksum. */
async function receive(
  uploads: Uploads,
  scope: Scope,
  draft: OpenDraft,
  upload: Upload,
  { bytes, checksum }: Piece,
): Promise<void> {
  const start = draft.size
  const check = checker(checksum)
  try {
    const arrived = (size: number) => uploads.telling.progress(upload, start + size)
    await draft.append(checked(bytes, upload.length - start, check, arrived))
    check.verify()
  } catch (error) {
    const isKept = checksum === undefined && !isFailure(error, 'too-large')
    if (isKept) uploads.syncing.later(scope, upload, draft.size)
    else if (await isOnThisNode(uploads, upload)) await draft.truncate(start)
    throw error
  }
}

/**
 * Where the file system knows no locks, another server may have taken the upload over from a connection that broke
 * unnoticed. The draft belongs to that server then, and may even be the finished file.
 */
async function isOnThisNode({ store, node }: Uploads, { id }: Upload): Promise<boolean> {
  const upload = await store.withId(id).catch(() => undefined)
  return upload?.node === node.id
}

async function* checked(
  bytes: AsyncIterable<Uint8Array>,
  most: number,
  check: Checker,
  arrived: (size: number) => void,
): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const piece of bytes) {
    size += piece.length
    if (size > most) throw tooMuch()
    check.update(piece)
    arrived(size)
    yield piece
  }
}

const expiryStep = 60

/** The lifetime starts anew with every piece, but is stored only when that makes a difference. */
async function prolong(uploads: Uploads, upload: Upload, { checksum }: Piece, isChecked: boolean): Promise<number> {
  const expiresAt = expiryFrom(uploads)
  const isLater = expiresAt - upload.expiresAt >= Math.min(expiryStep, uploads.lifetime / 10)
  if (!isLater && checksum === undefined) return upload.expiresAt
  try {
    await uploads.store.change(upload.id, { expiresAt, ...(isChecked && { trusted: undefined }) })
  } catch (error) {
    // The bytes are safe without a later expiry; without the note that they are verified they are not.
    if (checksum !== undefined || !isUnwritable(error)) throw error
    return upload.expiresAt
  }
  return expiresAt
}

const isRefusal = (error: unknown): boolean => isFailure(error, 'invalid', 'wrong-offset', 'too-large')

const tooMuch = () => new Failure('too-large', 'More bytes came than were announced')
