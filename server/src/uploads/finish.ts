import type { Scope } from '../access/scope.ts'
import { uploadFile } from '../changes/verbs.ts'
import type { OpenDraft } from '../storage/port.ts'
import type { Upload } from './store.ts'
import { keyOf, type Uploads } from './uploads.ts'

/** The file takes its place. Where that is refused, the draft stays for another try. */
export async function finish(uploads: Uploads, scope: Scope, upload: Upload, draft: OpenDraft): Promise<void> {
  await uploadFile(uploads.changes, scope, upload.path, upload, (options) =>
    uploads.writers.withDraft(upload.id, async () => {
      const entry = await draft.commit(options)
      uploads.finished.note(keyOf(upload), upload, entry)
      uploads.store.forget(upload.id)
      return entry
    }),
  )
}
