import type { FileWitness } from '../changes/witness.ts'
import { pauses } from '../concurrency/pauses.ts'
import { isUnwritable } from '../database/port.ts'
import type { Node } from '../nodes/node.ts'
import type { VirtualPath } from '../storage/path.ts'
import { type Fate, type FollowDeps, fatesOfMove, fatesOfRemoval } from './fates.ts'
import { entryAt } from './places.ts'
import { deleteSharesInDoubt, type Share } from './store.ts'

/**
 * Shares go with their files, whoever they belong to, and end with them. A share never shows what takes the place of
 * its file: from before the deed until the outcome is stored it is in doubt and shows nothing, also after a crash.
 */
export function shareWitness(deps: FollowDeps): FileWitness {
  return {
    moving: async (actor, from, to, deed) => witnessed(deps, await fatesOfMove(deps, actor, from, to), deed),
    removing: async (actor, path, deed) => {
      const fates = await fatesOfRemoval(deps, actor, path)
      return witnessed(deps, fates, deed, { mayGoUnwritten: true })
    },
  }
}

/** Shares whose file was under way when the server was killed: nobody knows what their paths stand for now. */
export async function dropSharesInDoubt({
  db,
  node,
}: {
  db: FollowDeps['db']
  node: Pick<Node, 'isAlive'>
}): Promise<void> {
  try {
    await deleteSharesInDoubt(db, node.isAlive)
  } catch (error) {
    // They stay shut.
    if (!isUnwritable(error)) throw error
  }
}

/** Deleting is how room is made on a full disk: a removal goes on when nothing can be written about it. */
async function witnessed<T>(
  deps: FollowDeps,
  fates: readonly Fate[],
  deed: () => Promise<T>,
  { mayGoUnwritten = false } = {},
): Promise<T> {
  if (fates.length === 0) return deed()
  const before = await identitiesOf(deps, fates)
  await deps.doubts.begin(
    fates.map(({ share }) => share),
    { mayGoUnwritten },
  )
  let result: T
  try {
    result = await deed()
  } catch (error) {
    await restore(deps, fates, before)
    throw error
  }
  // The deed is done, and stays done when this cannot be stored.
  await deps.doubts.settle(fates.map(({ share, path }) => ({ hash: share.link.hash, path })))
  return result
}

/** A deed of several steps may have failed halfway: only what is still the same thing stays shared. */
async function restore(deps: FollowDeps, fates: readonly Fate[], before: ReadonlyMap<string, string>): Promise<void> {
  // If this fails too, the shares stay in doubt, and so they stay shut.
  const after = await identitiesOf(deps, fates).catch(() => undefined)
  if (after === undefined) return
  const isSame = (share: Share) => after.get(keyOf(share)) === before.get(keyOf(share))
  await deps.doubts.settle(
    fates.map(({ share }) => ({ hash: share.link.hash, path: isSame(share) ? share.link.path : undefined })),
  )
}

/** What stands at the path of each share; many shares of one file are one look. */
async function identitiesOf({ storageAt }: FollowDeps, fates: readonly Fate[]): Promise<ReadonlyMap<string, string>> {
  const identities = new Map<string, string>()
  const pause = pauses()
  for (const { share } of fates) {
    if (identities.has(keyOf(share))) continue
    const entry = await entryAt(storageAt(share.scope), share.link.path as VirtualPath)
    identities.set(keyOf(share), entry === undefined ? '' : `${entry.device}:${entry.inode}`)
    await pause()
  }
  return identities
}

const keyOf = ({ scope, link }: Share): string => `${scope}\0${link.path}`
