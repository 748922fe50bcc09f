import type { Scope } from '../access/scope.ts'
import { ignoring } from '../failure.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { OpenDraft } from '../storage/port.ts'
import type { Progress } from './append.ts'
import { asAnnounced, findFinished, finish } from './finish.ts'
import { draftOf, noSuchUpload } from './places.ts'
import { keyOf, type Upload } from './store.ts'
import { findUpload, type Owner, openAlone, ownerOf, requireUpload, type Uploads, usableSize } from './uploads.ts'

export interface ProgressReport extends Progress {
  readonly metadata: string | undefined
}

/**
 * How far an upload has come. One that has all its bytes but is not a file yet, because the name was taken or the power
 * failed, is finished now: a client that is told that everything has arrived does not come back.
 */
export async function progressOf(uploads: Uploads, scope: Scope, path: VirtualPath): Promise<ProgressReport> {
  const owner = ownerOf(scope, path)
  const upload = await findUpload(uploads, scope, owner)
  if (upload === undefined) return progressOfFinished(uploads, scope, owner)
  if (uploads.held.has(upload.id)) return progressIn(uploads, upload, { size: 0 })
  const draft = await scope.openDraft(draftOf(scope, upload)).catch(ignoring('not-found'))
  // Another process of this server has finished it, and its row goes in a moment.
  if (draft === undefined) return progressOfFinished(uploads, scope, owner)
  draft.close()
  const progress = progressIn(uploads, upload, draft)
  return progress.offset < upload.length ? progress : finishNow(uploads, scope, owner)
}

/** Upload and draft are read again: before the lock was taken, another upload may have begun at this path. */
const finishNow = (uploads: Uploads, scope: Scope, owner: Owner): Promise<ProgressReport> =>
  uploads.locks.withUpload(keyOf(owner), async () => {
    const { upload, draft } = await openAlone(uploads, scope, await requireUpload(uploads, scope, owner))
    try {
      const progress = progressIn(uploads, upload, draft)
      if (progress.offset < upload.length) return progress
      await uploads.syncing.end(upload.id)
      await finish(uploads, scope, await asAnnounced(uploads, upload), (options) => draft.commit(options))
      return { ...progress, expiresAt: undefined }
    } finally {
      draft.close()
    }
  })

function progressIn(uploads: Uploads, upload: Upload, { size }: Pick<OpenDraft, 'size'>): ProgressReport {
  const { length, expiresAt, metadata } = upload
  return { offset: usableSize(uploads, upload, size), length, expiresAt, metadata }
}

async function progressOfFinished(uploads: Uploads, scope: Scope, owner: Owner): Promise<ProgressReport> {
  const finished = await findFinished(uploads, scope, owner)
  if (finished === undefined) throw noSuchUpload()
  const { size, metadata } = finished
  return { offset: size, length: size, expiresAt: undefined, metadata }
}
