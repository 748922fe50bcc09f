import { isUnwritable } from '../database/refusals.ts'
import type { VirtualPath } from '../files/path.ts'
import type { FileWitness } from '../files/witness.ts'
import { type Fate, type FollowDeps, fatesOfMove, fatesOfRemoval } from './fates.ts'
import { entryAt } from './places.ts'
import { deleteSharesInDoubt, putInDoubt, settleShares } from './store.ts'
import { type Outcome, unwrittenOf } from './unwritten.ts'

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
export async function dropSharesInDoubt({ db, node }: Pick<FollowDeps, 'db' | 'node'>): Promise<void> {
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
  const hashes = fates.map(({ share }) => share.link.hash)
  const before = await identitiesOf(deps, fates)
  const unwritten = unwrittenOf(deps.db)
  try {
    await putInDoubt(deps.db, hashes, deps.node.id)
  } catch (error) {
    if (!mayGoUnwritten || !isUnwritable(error)) throw error
    unwritten.hold(hashes.map((hash) => ({ hash, path: undefined })))
  }
  let result: T
  try {
    result = await deed()
  } catch (error) {
    // If this fails too, the shares stay in doubt, and so they stay shut.
    await restore(deps, fates, before).catch(() => {})
    throw error
  }
  await settle(
    deps,
    fates.map(({ share, path }) => ({ hash: share.link.hash, path })),
  )
  return result
}

/** The deed is done, and stays done when its outcome cannot be written yet. */
async function settle({ db }: FollowDeps, outcomes: readonly Outcome[]): Promise<void> {
  const unwritten = unwrittenOf(db)
  try {
    await settleShares(db, outcomes)
    unwritten.forget(outcomes.map(({ hash }) => hash))
  } catch (error) {
    if (!isUnwritable(error)) throw error
    unwritten.hold(outcomes)
    unwritten.writeLater((held) => settleShares(db, held))
  }
}

/** A deed of several steps may have failed halfway: only what is still the same thing stays shared. */
async function restore(deps: FollowDeps, fates: readonly Fate[], before: readonly string[]): Promise<void> {
  const after = await identitiesOf(deps, fates)
  const outcomes = fates.map(({ share: { link } }, index) => ({
    hash: link.hash,
    path: after[index] === before[index] ? link.path : undefined,
  }))
  await settle(deps, outcomes)
}

const identitiesOf = ({ storageAt }: FollowDeps, fates: readonly Fate[]): Promise<string[]> =>
  Promise.all(
    fates.map(async ({ share: { scope, link } }) => {
      const entry = await entryAt(storageAt(scope), link.path as VirtualPath)
      return entry === undefined ? '' : `${entry.device}:${entry.inode}`
    }),
  )
