import type { Scope } from '../access/scope.ts'
import type { Changes } from '../changes/pipeline.ts'
import type { Clock } from '../clock.ts'
import { askedAgain } from '../concurrency/asked-again.ts'
import { ignoring } from '../failure.ts'
import type { Node } from '../nodes/node.ts'
import { noSiblings, type Siblings } from '../nodes/siblings.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { OpenDraft, Storage } from '../storage/port.ts'
import { type FinishedUploads, finishedUploads } from './finished.ts'
import { type HeldUploads, heldUploads } from './held.ts'
import { type UploadLocks, uploadLocks, usualSilence } from './locks.ts'
import { draftOf, findDraft, noSuchUpload } from './places.ts'
import { keyOf, type Upload, type UploadStore } from './store.ts'
import { type UploadSyncing, uploadSyncing } from './syncing.ts'
import { type UploadTelling, type UploadTold, uploadTelling } from './telling.ts'

interface UploadDeps {
  readonly store: UploadStore
  /** Those without a row. None, if nothing is said. */
  readonly held?: HeldUploads
  /** The pipeline of the change that an upload ends with. */
  changes: Changes
  clock: Clock
  node: Pick<Node, 'id' | 'kernel' | 'isAlive'>
  /** Other processes of this server; none, if nothing is said. */
  siblings?: Siblings
  /** The files below a location. */
  storageAt(base: string): Storage
  /** What other devices of the account are told; nothing, if it is not given. */
  told?: UploadTold
}

/** What the verbs on uploads share. */
export interface Uploads extends UploadDeps {
  /** How long an upload waits for its next piece, in seconds. */
  readonly lifetime: number
  readonly held: HeldUploads
  readonly locks: UploadLocks
  readonly finished: FinishedUploads
  readonly syncing: UploadSyncing
  readonly telling: UploadTelling
}

/** An upload is addressed by its location and its account: other accounts see none. */
export interface Owner extends Pick<Upload, 'userId' | 'location'> {
  /** As the sender calls it. */
  readonly path: VirtualPath
}

export function uploadsIn(deps: UploadDeps, lifetime: number): Uploads {
  const { siblings = noSiblings, held = heldUploads({ ...deps, most: 0 }) } = deps
  const locks = uploadLocks()
  siblings.answer(releaseTopic, (key) => locks.release(String(key), usualSilence))
  const finished = finishedUploads(siblings)
  return {
    ...deps,
    siblings,
    held,
    lifetime,
    locks,
    finished,
    syncing: uploadSyncing(deps.store, deps.node),
    telling: uploadTelling(deps.told),
  }
}

const releaseTopic = 'silent upload'

/** What rules and rights hide is refused before anything is looked up. */
export function ownerOf(scope: Scope, path: VirtualPath): Owner {
  scope.requireVisible(path)
  return { userId: scope.actor.user.id, location: scope.locate(path), path }
}

/** An expired upload is not found, nor one that the sender does not reach any more; its row is deleted later. */
export async function findUpload(
  { store, held, clock }: Uploads,
  scope: Scope,
  owner: Owner,
): Promise<Upload | undefined> {
  const upload = held.find(owner) ?? (await store.find(owner))
  if (upload === undefined || upload.expiresAt <= clock.unixSeconds()) return undefined
  return findDraft(scope, upload) && upload
}

/** Has another server that is alive received its last bytes, or is it beginning it? */
export const isOfOther = ({ node }: Pick<Uploads, 'node'>, upload: Upload): boolean =>
  upload.node !== undefined && upload.node !== node.id && node.isAlive(upload.node)

export async function requireUpload(uploads: Uploads, scope: Scope, owner: Owner): Promise<Upload> {
  const upload = await findUpload(uploads, scope, owner)
  if (upload === undefined) throw noSuchUpload()
  return upload
}

/**
 * How many bytes of its draft an upload goes on from: not those of a piece whose checksum was never compared, and after
 * another boot only those that were synced.
 */
export function usableSize({ node }: Pick<Uploads, 'node'>, upload: Upload, size: number): number {
  const isInMemory = upload.kernel === node.kernel && node.kernel !== ''
  return Math.min(size, upload.trusted ?? size, isInMemory ? size : (upload.synced ?? size))
}

/** Its draft, held so that no other server writes to it meanwhile, and its row as that server left it. */
export async function openAlone(
  { store, node, siblings }: Uploads,
  scope: Scope,
  found: Upload,
): Promise<{ upload: Upload; draft: OpenDraft }> {
  const open = () => scope.openDraft(draftOf(scope, found), { isExclusive: true, safe: found.synced ?? 0 })
  const openIfFree = () => open().catch(ignoring('locked'))
  const free = await openIfFree()
  // A connection that broke unnoticed may hold it in another process.
  if (free === undefined) await siblings?.ask(releaseTopic, keyOf(found))
  const draft = free ?? (await askedAgain(openIfFree, lettingGo)) ?? (await open())
  try {
    const isKnown = found.node === node.id && free !== undefined
    const upload = isKnown ? found : await store.withId(found.id)
    if (upload === undefined) throw noSuchUpload()
    return { upload, draft }
  } catch (error) {
    draft.close()
    throw error
  }
}

/**
 * In milliseconds. Another process lets go of a draft a moment after its piece was answered, and the next piece may be here by
 * then.
 */
const lettingGo = 1000

export const expiryFrom = ({ clock, lifetime }: Uploads): number => clock.unixSeconds() + Math.ceil(lifetime)
