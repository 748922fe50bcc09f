import type { Scope } from '../access/scope.ts'
import { acceptFor, hooked, mayReplace } from '../changes/change.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { OpenDraft, WriteOptions } from '../storage/port.ts'
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
  const entry = await hookedUpload(uploads, scope, upload.path, upload, (options) => draft.commit(options))
  uploads.finished.note(keyOf(upload), upload, entry)
  uploads.store.forget(upload.id)
}

/** What the end of an upload is allowed to do, asked at its beginning and again at its end. */
export const withOptions = <T>(
  scope: Scope,
  { override, length, modified }: Announced,
  change: (options: WriteOptions) => Promise<T>,
): Promise<T> => mayReplace(scope, override, (precondition) => change({ precondition, length, modified }))

/** Hooks hear of an upload when all of it is there, and of no other. */
export const hookedUpload = <T>(
  { changes }: Uploads,
  scope: Scope,
  path: VirtualPath,
  announced: Announced,
  change: (options: WriteOptions) => Promise<T>,
): Promise<T> =>
  hooked(changes, scope, 'upload', { path, mustExist: false, accept: acceptFor(scope, announced.override) }, () =>
    withOptions(scope, announced, change),
  )
