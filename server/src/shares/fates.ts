import { isInside } from '@filestead/contract'
import { rebase, type VirtualPath } from '../files/path.ts'
import type { Node } from '../nodes/node.ts'
import type { Actor } from '../users/actor.ts'
import { entryAt, type Place, placeFinder } from './places.ts'
import type { ShareDeps } from './shares.ts'
import { allShares, type Share } from './store.ts'

export type FollowDeps = Pick<ShareDeps, 'db' | 'storageAt'> & { node: Pick<Node, 'id' | 'isAlive'> }

/** What becomes of a share when something is moved or removed: its new path, or none if it goes. */
export interface Fate {
  readonly share: Share
  readonly path: string | undefined
}

export async function fatesOfRemoval(deps: FollowDeps, { user }: Actor, path: VirtualPath): Promise<Fate[]> {
  const { shares, places, inside } = await survey(deps)
  if (shares.length === 0) return []
  const { name } = await (await places(user.scope)).of(path)
  return inside(name).map(({ share }) => ({ share, path: undefined }))
}

export async function fatesOfMove(
  deps: FollowDeps,
  { user }: Actor,
  from: VirtualPath,
  to: VirtualPath,
): Promise<Fate[]> {
  const { shares, places, inside } = await survey(deps)
  if (shares.length === 0) return []
  const own = await places(user.scope)
  const [{ name: source }, { name: target }] = [await own.of(from), await own.of(to)]
  if (source === target) return []

  const storage = deps.storageAt(user.scope)
  const fates: Fate[] = []
  for (const { share, rest } of inside(source))
    fates.push({ share, path: (await places(share.scope)).pathTo(rebase(target, rest)) })
  for (const { share, rest } of inside(target)) {
    if (fates.some((fate) => fate.share === share)) continue
    const [comes, stands] = [await entryAt(storage, rebase(from, rest)), await entryAt(storage, rebase(to, rest))]
    // Folders are merged; otherwise what is moved takes the place of what is there.
    if (comes === undefined || (comes.kind === 'folder' && stands?.kind === 'folder')) continue
    fates.push({ share, path: undefined })
  }
  return fates
}

/** All shares, and those at or below a place: by where they lie, since the text of a path means another in each scope. */
async function survey({ db, storageAt }: Pick<FollowDeps, 'db' | 'storageAt'>) {
  const shares = await allShares(db)
  const places = placeFinder(storageAt)
  const lies = new Map<Share, Place>()
  for (const share of shares) lies.set(share, await (await places(share.scope)).of(share.link.path as VirtualPath))

  const inside = (place: VirtualPath): { share: Share; rest: VirtualPath }[] =>
    [...lies].flatMap(([share, { name, target }]) => {
      const at = [name, target].find((path) => isInside(path, place))
      return at === undefined ? [] : [{ share, rest: `/${at.slice(place.length + 1)}` as VirtualPath }]
    })
  return { shares, places, inside }
}
