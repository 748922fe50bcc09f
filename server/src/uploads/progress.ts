import { isFailure } from '../failure.ts'
import type { VirtualPath } from '../files/path.ts'
import type { Scope } from '../files/scope.ts'
import { requirePermission } from '../users/actor.ts'
import type { Progress } from './append.ts'
import { finish } from './finish.ts'
import { findUpload, keyOf, noSuchUpload, ownerOf, requireUpload, type Uploads } from './uploads.ts'

export interface ProgressReport extends Progress {
  readonly metadata: string | undefined
}

/**
 * How far an upload has come. One that has all its bytes but not its place, because the name was taken or the power
 * went, is finished now: whoever hears that everything has arrived goes away and believes it.
 */
export async function progressOf(uploads: Uploads, scope: Scope, path: VirtualPath): Promise<ProgressReport> {
  requirePermission(scope.actor, 'create')
  scope.requireVisible(path)
  const progress = (await look(uploads, scope, path)) ?? (await lookAtFinished(uploads, scope, path))
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

/** Only as long as the file that it became still stands there. */
async function lookAtFinished(uploads: Uploads, scope: Scope, path: VirtualPath): Promise<ProgressReport | undefined> {
  const finished = uploads.finished.find(keyOf(ownerOf(scope, path)))
  if (finished === undefined) return undefined
  const { entry, metadata } = finished
  try {
    const file = await scope.open(path)
    file.close()
    const { inode, device, size } = file.entry
    if (inode !== entry.inode || device !== entry.device || size !== entry.size) return undefined
    return { offset: size, length: size, expiresAt: undefined, metadata }
  } catch (error) {
    if (isFailure(error, 'not-found') || isFailure(error, 'invalid')) return undefined
    throw error
  }
}
