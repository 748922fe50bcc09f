import type { Scope } from '../access/scope.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { Progress } from './append.ts'
import { finish } from './finish.ts'
import { findFinished } from './finished.ts'
import { findUpload, keyOf, noSuchUpload, ownerOf, requireUpload, type Uploads } from './uploads.ts'

export interface ProgressReport extends Progress {
  readonly metadata: string | undefined
}

/**
 * How far an upload has come. One that has all its bytes but not its place, because the name was taken or the power
 * went, is finished now: a client that hears that everything has arrived goes away and believes it.
 */
export async function progressOf(uploads: Uploads, scope: Scope, path: VirtualPath): Promise<ProgressReport> {
  scope.requireVisible(path)
  const progress = (await look(uploads, scope, path)) ?? (await lookBack(uploads, scope, path))
  if (progress === undefined) throw noSuchUpload()
  if (progress.offset < progress.length || progress.expiresAt === undefined) return progress
  await uploads.writers.alone(keyOf(ownerOf(scope, path)), async () => {
    const upload = await requireUpload(uploads, ownerOf(scope, path))
    const draft = await scope.openDraft(upload)
    try {
      await finish(uploads, scope, upload, draft)
    } finally {
      draft.close()
    }
  })
  return { ...progress, expiresAt: undefined }
}

async function look(uploads: Uploads, scope: Scope, path: VirtualPath): Promise<ProgressReport | undefined> {
  const upload = await findUpload(uploads, ownerOf(scope, path))
  if (upload === undefined) return undefined
  const draft = await scope.openDraft(upload)
  draft.close()
  const { length, expiresAt, metadata, trusted = draft.size } = upload
  return { offset: Math.min(draft.size, trusted), length, expiresAt, metadata }
}

async function lookBack(uploads: Uploads, scope: Scope, path: VirtualPath): Promise<ProgressReport | undefined> {
  const finished = await findFinished(uploads, scope, ownerOf(scope, path))
  if (finished === undefined) return undefined
  const { entry, metadata } = finished
  return { offset: entry.size, length: entry.size, expiresAt: undefined, metadata }
}
