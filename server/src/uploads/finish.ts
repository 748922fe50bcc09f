import { hooked, requireFree } from '../files/change.ts'
import type { VirtualPath } from '../files/path.ts'
import type { Scope } from '../files/scope.ts'
import type { OpenDraft, WriteOptions } from '../storage/storage.ts'
import { requirePermission } from '../users/actor.ts'
import type { Upload } from './store.ts'
import { keyOf, type Uploads } from './uploads.ts'

/** What the sender says about a file before its first byte. */
export interface Announced {
  readonly length: number
  readonly override: boolean
  readonly modified: number | undefined
}

/** The file takes its place. Where that is refused, the draft stays for another try. */
export async function finish(uploads: Uploads, scope: Scope, upload: Upload, draft: OpenDraft): Promise<void> {
  const commit = () => draft.commit(optionsFor(scope, upload))
  const entry = await hookedUpload(uploads, scope, upload.path, upload, commit)
  uploads.finished.note(keyOf(upload), upload, entry)
  uploads.store.forget(upload.id)
}

/** What the end of an upload is allowed to do, asked at its beginning and again at its end. */
export const optionsFor = (scope: Scope, { override, length, modified }: Announced): WriteOptions => ({
  mode: override ? 'replace' : 'new',
  length,
  modified,
  accept: (current) => current && requirePermission(scope.actor, 'modify'),
})

/** Hooks hear of an upload when all of it is there, and of no other. */
export const hookedUpload = <T>(
  { changes }: Uploads,
  scope: Scope,
  path: VirtualPath,
  announced: Announced,
  change: () => Promise<T>,
): Promise<T> => {
  const accept = announced.override ? optionsFor(scope, announced).accept : requireFree
  return hooked(changes, scope, 'upload', { path, mustExist: false, ...(accept && { accept }) }, change)
}
