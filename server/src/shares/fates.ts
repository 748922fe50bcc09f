import { isInside } from '@filestead/contract'
import type { Actor } from '../access/actor.ts'
import { pauses } from '../concurrency/pauses.ts'
import { rebase, type VirtualPath } from '../storage/path.ts'
import { entryAt, folderOf, type Place, placeFinder } from './places.ts'
import type { ShareDeps } from './shares.ts'
import { type Share, sharesBelow, sharesThroughLinks } from './store.ts'

export type FollowDeps = Pick<ShareDeps, 'db' | 'storageAt' | 'doubts'>

/** What becomes of a share when something is moved or removed: its new path, or none if it goes. */
export interface Fate {
  readonly share: Share
  readonly path: string | undefined
}

export async function fatesOfRemoval(deps: FollowDeps, { user }: Actor, path: VirtualPath): Promise<Fate[]> {
  const { places, inside } = survey(deps)
  const { name } = await (await places(user.scope)).of(path)
  await deps.doubts.settleBefore([name])
  return (await inside([name, writtenIn(user, path)])).map(({ share }) => ({ share, path: undefined }))
}

export async function fatesOfMove(
  deps: FollowDeps,
  { user }: Actor,
  from: VirtualPath,
  to: VirtualPath,
): Promise<Fate[]> {
  const { places, inside } = survey(deps)
  const own = await places(user.scope)
  const [{ name: source }, { name: target }] = [await own.of(from), await own.of(to)]
  if (source === target) return []
  await deps.doubts.settleBefore([source, target])

  const storage = deps.storageAt(user.scope)
  const pause = pauses()
  const fates: Fate[] = []
  const moved = new Set<string>()
  for (const { share, rest } of await inside([source, writtenIn(user, from)])) {
    moved.add(share.link.hash)
    fates.push({ share, path: (await places(share.scope)).pathTo(rebase(target, rest)) })
    await pause()
  }
  for (const { share, rest } of await inside([target, writtenIn(user, to)])) {
    await pause()
    if (moved.has(share.link.hash)) continue
    const [comes, stands] = [await entryAt(storage, rebase(from, rest)), await entryAt(storage, rebase(to, rest))]
    // Folders are merged; otherwise what is moved takes the place of what is there.
    if (comes === undefined || (comes.kind === 'folder' && stands?.kind === 'folder')) continue
    fates.push({ share, path: undefined })
  }
  return fates
}

/** The hashes of all shares of what lies at a path. */
export async function sharesAt(deps: FollowDeps, { user }: Actor, path: VirtualPath): Promise<ReadonlySet<string>> {
  const { places, inside } = survey(deps)
  const { target } = await (await places(user.scope)).of(path)
  return new Set((await inside([target])).filter(({ isTarget }) => isTarget).map(({ share }) => share.link.hash))
}

interface Found {
  readonly share: Share
  /** Its path below the place that was asked for. */
  readonly rest: VirtualPath
  /** It leads to that very place. */
  readonly isTarget: boolean
}

/**
 * Finds shares by where they lie, since the text of a path means another in each scope. Those without a link on the way
 * are found by the index; only where there may be one it has to be looked up.
 */
function survey({ db, storageAt }: FollowDeps) {
  const places = placeFinder(storageAt)
  const pause = pauses()
  let linked: { share: Share; place: Place }[] | undefined

  async function throughLinks(): Promise<{ share: Share; place: Place }[]> {
    if (linked !== undefined) return linked
    linked = []
    for (const share of await sharesThroughLinks(db)) {
      linked.push({ share, place: await (await places(share.scope)).of(share.link.path as VirtualPath) })
      await pause()
    }
    return linked
  }

  const restOf = (at: VirtualPath, place: VirtualPath) =>
    `/${at.slice(place === '/' ? 1 : place.length + 1)}` as VirtualPath

  return {
    places,
    /** At or below the first of these places that fits: where it lies, or where its path says it does. */
    async inside(wanted: readonly VirtualPath[]): Promise<Found[]> {
      const found = new Map<string, Found>()
      const add = (share: Share, lies: readonly VirtualPath[]) => {
        for (const place of wanted) {
          const at = lies.find((path) => isInside(path, place))
          if (at === undefined) continue
          found.set(share.link.hash, { share, rest: restOf(at, place), isTarget: lies.at(-1) === place })
          return
        }
      }
      for (const place of new Set(wanted))
        for (const share of await sharesBelow(db, place)) {
          if (!found.has(share.link.hash)) add(share, [rebase(share.scope, share.link.path as VirtualPath)])
          await pause()
        }
      for (const { share, place } of await throughLinks()) add(share, [place.name, place.target])
      return [...found.values()]
    },
  }
}

/** Where a path would lie if no link stood in its way: it may have come after a share was looked at. */
const writtenIn = ({ scope }: Actor['user'], path: VirtualPath): VirtualPath => rebase(folderOf(scope), path)
