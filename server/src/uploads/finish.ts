import { hasRight } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
import { uploadFile, uploadWholeFile } from '../changes/verbs.ts'
import { isFailure } from '../failure.ts'
import { isSameEntry } from '../storage/entry.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { Entry, WriteOptions } from '../storage/port.ts'
import type { Finished } from './finished.ts'
import { draftOf } from './places.ts'
import { type Announcement, keyOf, type Upload } from './store.ts'
import type { Owner, Uploads } from './uploads.ts'

/** Turns the draft into the file. Where that is refused, the draft stays for another try. */
export async function finish(
  uploads: Uploads,
  scope: Scope,
  upload: Upload,
  commit: (options: WriteOptions) => Promise<Entry>,
): Promise<void> {
  const { store, locks, finished, changes, telling } = uploads
  const { path } = draftOf(scope, upload)
  await uploadFile({ ...changes, batch: changes.batch ?? upload.id }, scope, path, upload, (options) =>
    locks.withDraft(upload.id, async () => {
      const entry = await commit(options)
      finished.add(keyOf(upload), upload, entry)
      store.forget(upload.id)
      return entry
    }),
  )
  telling.done(upload)
}

/** The same without a draft, for bytes that are all there. */
export async function makeWhole(
  { finished, changes }: Pick<Uploads, 'finished' | 'changes'>,
  scope: Scope,
  owner: Owner,
  announced: Announcement,
  content: Uint8Array,
): Promise<void> {
  finished.forget(keyOf(owner))
  const entry = await uploadWholeFile(changes, scope, owner.path, announced, content)
  finished.add(keyOf(owner), announced, entry)
}

/** Perhaps it was announced again while bytes arrived, with another wish about the file that is there. */
export const asAnnounced = async ({ store }: Uploads, upload: Upload): Promise<Upload> =>
  (await store.withId(upload.id)) ?? upload

/** Only while the file that the upload became is still there. */
export async function findFinished(uploads: Uploads, scope: Scope, owner: Owner): Promise<Finished | undefined> {
  const known = await uploads.finished.find(keyOf(owner))
  if (known === undefined) return undefined
  try {
    const entry = await entryAt(scope, owner.path)
    return isSameEntry(entry, known) && entry.size === known.size ? known : undefined
  } catch (error) {
    if (isFailure(error, 'not-found', 'invalid')) return undefined
    // Where files can be put that do not show afterwards, the sender is told all the same that the own one has arrived.
    if (isFailure(error, 'forbidden') && !hasRight(scope.rightsAt(owner.path), 'see')) return known
    throw error
  }
}

/** What a symlink leads to; without the right to the content, the symlink itself. */
async function entryAt(scope: Scope, path: VirtualPath): Promise<Entry> {
  if (!hasRight(scope.rightsAt(path), 'download')) return scope.stat(path)
  const file = await scope.open(path)
  file.close()
  return file.entry
}
