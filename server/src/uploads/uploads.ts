import type { Scope } from '../access/scope.ts'
import type { Changes } from '../changes/pipeline.ts'
import type { Clock } from '../clock.ts'
import { Failure } from '../failure.ts'
import type { Node } from '../nodes/node.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { OpenDraft, Storage } from '../storage/port.ts'
import { scopeFolder } from '../users/home.ts'
import { type FinishedUploads, finishedUploads } from './finished.ts'
import { type UploadLocks, uploadLocks } from './locks.ts'
import type { Upload, UploadStore } from './store.ts'

interface UploadDeps {
  readonly store: UploadStore
  /** The pipeline of the change that an upload ends with. */
  changes: Changes
  clock: Clock
  node: Node
  /** The files of a user whose scope is this folder below the root. */
  storageAt(scope: string): Storage
}

/** What the verbs on uploads share. */
export interface Uploads extends UploadDeps {
  /** How long an upload waits for its next piece, in seconds. */
  readonly lifetime: number
  readonly locks: UploadLocks
  readonly finished: FinishedUploads
}

/** An upload is addressed by its path and its account: other accounts see none. */
export type Owner = Pick<Upload, 'userId' | 'scope' | 'path'>

export function uploadsIn(deps: UploadDeps, lifetime: number): Uploads {
  return { ...deps, lifetime, locks: uploadLocks(), finished: finishedUploads() }
}

export const ownerOf = ({ actor: { user } }: Scope, path: VirtualPath): Owner => ({
  userId: user.id,
  scope: scopeFolder(user.scope),
  path,
})

export const keyOf = ({ userId, path }: Owner): string => `${userId}:${path}`

/** An expired upload is not found; its row is deleted later. */
export async function findUpload({ store, clock }: Uploads, owner: Owner): Promise<Upload | undefined> {
  const upload = await store.find(owner)
  return upload && upload.expiresAt > clock.unixSeconds() ? upload : undefined
}

export async function requireUpload(uploads: Uploads, owner: Owner): Promise<Upload> {
  const upload = await findUpload(uploads, owner)
  if (upload === undefined) throw noSuchUpload()
  return upload
}

/** Its draft, held so that no other server writes to it meanwhile, and its row as that server left it. */
export async function openAlone(
  { store, node }: Uploads,
  scope: Scope,
  found: Upload,
): Promise<{ upload: Upload; draft: OpenDraft }> {
  const draft = await scope.openDraft(found, { isExclusive: true })
  try {
    const upload = found.node === node.id ? found : await store.withId(found.id)
    if (upload === undefined) throw noSuchUpload()
    return { upload, draft }
  } catch (error) {
    draft.close()
    throw error
  }
}

export const noSuchUpload = () => new Failure('not-found', 'There is no such upload')

export const expiryFrom = ({ clock, lifetime }: Uploads): number => clock.unixSeconds() + Math.ceil(lifetime)
