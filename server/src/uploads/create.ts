import type { DraftPlace, Scope } from '../access/scope.ts'
import { withFoldersRemembered } from '../changes/batch.ts'
import { type Announced, withOptions } from '../changes/verbs.ts'
import { isFailure } from '../failure.ts'
import type { VirtualPath } from '../storage/path.ts'
import { appendToUpload, type Piece, type Progress } from './append.ts'
import { discard } from './cancel.ts'
import { hold, isSmall, mayComeWhole } from './complete.ts'
import { makeWhole } from './finish.ts'
import { draftOf } from './places.ts'
import { type Announcement, keyOf, type Upload } from './store.ts'
import { expiryFrom, findUpload, isOfOther, type Owner, ownerOf, type Uploads } from './uploads.ts'

/** Begins an upload, or goes on with an unfinished one of the same size. Returns when it expires. */
export async function createUpload(
  uploads: Uploads,
  scope: Scope,
  path: VirtualPath,
  announced: Announcement,
): Promise<number> {
  const owner = ownerOf(scope, path)
  // A request that sends to the upload right now is not stopped, as long as it remains the same upload.
  if (uploads.locks.isLocked(keyOf(owner))) {
    const expires = await continueUnlocked(uploads, scope, owner, announced)
    if (expires !== undefined) return expires
  }
  return uploads.locks.withUpload(
    keyOf(owner),
    async () => {
      const before = await findUpload(uploads, scope, owner)
      const mayGoOn = before !== undefined && isSame(before, announced) && !uploads.held.has(before.id)
      const continued = mayGoOn ? await continueUpload(uploads, scope, before, announced) : undefined
      if (continued !== undefined) return continued
      const expires = await beginUpload(uploads, scope, owner, announced)
      if (before !== undefined) await discard(uploads, scope, before)
      return expires
    },
    0,
  )
}

/**
 * While another request sends: the draft lock keeps that one from turning the draft into the file, because a new draft
 * in its place would belong to no row. Undefined if there is no such upload any more.
 */
async function continueUnlocked(
  uploads: Uploads,
  scope: Scope,
  owner: Owner,
  announced: Announcement,
): Promise<number | undefined> {
  const found = await findUpload(uploads, scope, owner)
  if (found === undefined || !isSame(found, announced)) return undefined
  // What is announced now is noted in its row.
  await uploads.held.write(found)
  return uploads.locks.withDraft(found.id, async () => {
    const upload = await findUpload(uploads, scope, owner)
    return upload?.id === found.id ? continueUpload(uploads, scope, upload, announced) : undefined
  })
}

/** Begins an upload with its first bytes. A small file that comes whole and without a pause needs no draft that waits for more. */
export async function createWithBytes(
  uploads: Uploads,
  scope: Scope,
  path: VirtualPath,
  announced: Announcement,
  piece: Piece,
): Promise<Progress> {
  scope.requireVisible(path)
  const { length } = announced
  const held = isSmall(uploads, piece) && piece.length === length ? await hold(piece.bytes, length) : undefined
  if (held?.bytes === undefined) {
    await createUpload(uploads, scope, path, announced)
    return appendToUpload(uploads, scope, path, { ...piece, bytes: held?.again() ?? piece.bytes })
  }
  await uploadWhole(uploads, scope, path, announced, held.bytes)
  return { offset: length, length, expiresAt: undefined }
}

/** A file whose bytes are all there. An unfinished upload to its path is given up. */
export async function uploadWhole(
  uploads: Uploads,
  scope: Scope,
  path: VirtualPath,
  announced: Announcement,
  content: Uint8Array,
): Promise<void> {
  const owner = ownerOf(scope, path)
  await uploads.locks.withUpload(
    keyOf(owner),
    async () => {
      const before = await findUpload(uploads, scope, owner)
      await makeWhole(uploads, scope, owner, announced, content)
      if (before !== undefined) await discard(uploads, scope, before)
    },
    0,
  )
}

async function beginUpload(uploads: Uploads, scope: Scope, owner: Owner, announced: Announcement): Promise<number> {
  const { store, held, finished } = uploads
  // Requests about this path mean the new upload from now on.
  finished.forget(keyOf(owner))
  const id = Bun.randomUUIDv7()
  const expiresAt = expiryFrom(uploads)
  const isLater = mayComeWhole(uploads, announced.length) && (await held.isOpen())
  try {
    let upload: Upload | undefined
    const note = async (at: VirtualPath) => {
      upload = newUpload(uploads, owner, announced, { id, place: scope.locate(at), expiresAt })
      // The row comes first: a draft without a row would stay for ever.
      if (!isLater) await store.insert(upload)
    }
    const batch = uploads.changes.batch ?? id
    await withFoldersRemembered({ ...uploads.changes, batch }, scope, owner.path, (keep) =>
      withOptions(scope, owner.path, announced, (options) =>
        scope.beginDraft(owner.path, id, { ...options, keep, isLater }, note),
      ),
    )
    if (isLater && upload !== undefined) held.add(upload)
    uploads.telling.progress({ ...owner, id, length: announced.length }, 0)
    return expiresAt
  } catch (error) {
    await store.delete(id).catch(() => {})
    throw error
  }
}

const newUpload = (
  { node }: Uploads,
  { userId, location }: Owner,
  { length, override, modified, metadata }: Announcement,
  draft: Pick<Upload, 'id' | 'place' | 'expiresAt'>,
): Upload => ({
  ...{ userId, location, length, override, modified, metadata },
  ...draft,
  mayRewind: false,
  trusted: undefined,
  node: node.id,
  synced: 0,
  kernel: node.kernel,
})

/**
 * What has arrived still counts. A client that does not ask how much that is may send everything again. Undefined if another
 * server has just made a file of the draft, and deletes the row in a moment: a new draft would stay for ever. Where there is no
 * other server, the disk that the draft lies on may not be mounted now, and the row waits for it.
 */
async function continueUpload(
  uploads: Uploads,
  scope: Scope,
  upload: Upload,
  announced: Announcement,
): Promise<number | undefined> {
  const before = draftOf(scope, upload)
  const isThere = await hasDraft(scope, before)
  if (!isThere && isOfOther(uploads, upload)) return undefined
  let { place } = upload
  const setPlace = async (at: VirtualPath) => {
    place = scope.locate(at)
  }
  const begin = (isLater: boolean) =>
    withOptions(scope, before.path, announced, (options) =>
      scope.beginDraft(before.path, upload.id, { ...options, isLater }, setPlace),
    )
  // Asked for and not made: in this very moment the other server may make a file of the one that is there.
  await begin(true)
  // A symlink leads elsewhere by now.
  if (place !== upload.place) return undefined
  if (!isThere) await begin(false)
  const expiresAt = expiryFrom(uploads)
  const { override, metadata } = announced
  await uploads.store.change(upload.id, { override, metadata, mayRewind: true, expiresAt })
  return expiresAt
}

async function hasDraft(scope: Scope, place: DraftPlace): Promise<boolean> {
  try {
    const draft = await scope.openDraft(place)
    draft.close()
    return true
  } catch (error) {
    if (!isFailure(error, 'not-found')) throw error
    return false
  }
}

/** A file of another time is another file, even if it has as many bytes. */
const isSame = (upload: Upload, { length, modified }: Announced): boolean =>
  upload.length === length && upload.modified === modified
