import type { Scope } from '../access/scope.ts'
import { type Announced, uploadEmptyFile, withOptions } from '../changes/verbs.ts'
import type { VirtualPath } from '../storage/path.ts'
import { abandon } from './cancel.ts'
import type { Upload } from './store.ts'
import { expiryFrom, findUpload, keyOf, type Owner, ownerOf, type Uploads } from './uploads.ts'

export interface Announcement extends Announced {
  readonly metadata: string | undefined
}

/**
 * Begins an upload, or goes on with an unfinished one of the same size. Tells when it expires; an empty file is there
 * at once and has no need to.
 */
export async function createUpload(
  uploads: Uploads,
  scope: Scope,
  path: VirtualPath,
  announced: Announcement,
): Promise<number | undefined> {
  scope.requireVisible(path)
  const owner = ownerOf(scope, path)
  // A request that sends to the upload right now is not disturbed, as long as it remains the same upload.
  if (uploads.writers.isBusy(keyOf(owner))) {
    const expires = await continueBeside(uploads, scope, owner, announced)
    if (expires !== undefined) return expires
  }
  return uploads.writers.alone(
    keyOf(owner),
    async () => {
      const before = await findUpload(uploads, owner)
      if (before !== undefined && isSame(before, announced)) return continueUpload(uploads, scope, before, announced)
      const expires = await beginUpload(uploads, scope, owner, announced)
      if (before !== undefined) await abandon(uploads, scope, before)
      return expires
    },
    0,
  )
}

/**
 * Beside the request that sends: the draft must not become the file meanwhile, or a new one would be made in its place
 * that no row knows. Nothing if there is no such upload any more.
 */
async function continueBeside(
  uploads: Uploads,
  scope: Scope,
  owner: Owner,
  announced: Announcement,
): Promise<number | undefined> {
  const busy = await findUpload(uploads, owner)
  if (busy === undefined || !isSame(busy, announced)) return undefined
  return uploads.writers.withDraft(busy.id, async () => {
    const still = await findUpload(uploads, owner)
    return still?.id === busy.id ? continueUpload(uploads, scope, still, announced) : undefined
  })
}

async function beginUpload(
  uploads: Uploads,
  scope: Scope,
  owner: Owner,
  announced: Announcement,
): Promise<number | undefined> {
  const { store, finished, node } = uploads
  // Questions from now on are about this one.
  finished.forget(keyOf(owner))
  if (announced.length === 0) {
    const entry = await uploadEmptyFile(uploads.changes, scope, owner.path, announced)
    finished.note(keyOf(owner), announced, entry)
    return undefined
  }
  const id = Bun.randomUUIDv7()
  const expiresAt = expiryFrom(uploads)
  try {
    // The row comes first: a draft without a row would stay for ever.
    const insert = (place: VirtualPath) =>
      store.insert({
        ...owner,
        ...announced,
        id,
        place,
        mayRewind: false,
        trusted: undefined,
        expiresAt,
        node: node.id,
      })
    await withOptions(scope, announced, (options) => scope.beginDraft(owner.path, id, options, insert))
    return expiresAt
  } catch (error) {
    await store.delete(id).catch(() => {})
    throw error
  }
}

/** What arrived before still counts. A client that does not ask how much that is may send it all again. */
async function continueUpload(uploads: Uploads, scope: Scope, known: Upload, announced: Announcement): Promise<number> {
  let place = known.place
  const note = async (at: VirtualPath) => {
    place = at
  }
  await withOptions(scope, announced, (options) => scope.beginDraft(known.path, known.id, options, note))
  if (place !== known.place) await scope.dropDraft(known).catch(() => {})
  const expiresAt = expiryFrom(uploads)
  const { override, metadata } = announced
  await uploads.store.change(known.id, { place, override, metadata, mayRewind: true, expiresAt })
  return expiresAt
}

/** A file of another time is another file, even if it has as many bytes. */
const isSame = (known: Upload, { length, modified }: Announced): boolean =>
  known.length === length && known.modified === modified
