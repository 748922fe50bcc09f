import { isInside } from '@filestead/contract'
import type { Actor } from '../access/actor.ts'
import type { Change } from '../changes/change.ts'
import { pauses } from '../concurrency/pauses.ts'
import { rebase, rootPath, type VirtualPath } from '../storage/path.ts'
import { entryAt, folderOf, type Place, placeFinder } from './places.ts'
import type { ShareDeps } from './shares.ts'
import { type Share, sharesBelow, sharesThroughLinks } from './store.ts'

type LookupDeps = Pick<ShareDeps, 'db' | 'storageAt'>

/** A share whose file is moved or removed. */
export interface Affected {
  readonly share: Share
  /** Where its file will be; nothing if it is removed, replaced, or out of the owner's reach. */
  readonly to: string | undefined
}

/** What a change touches, as places seen from the root. */
export interface Area {
  readonly source: VirtualPath
  /** Nothing for a removal. */
  readonly target: VirtualPath | undefined
}

/** For one change: what it touches, and which shares it concerns. */
export function lookupIn(deps: LookupDeps) {
  const { places, inside } = survey(deps)
  return {
    async areaOf({ scope, from, to }: Change): Promise<Area | undefined> {
      if (from === undefined) return undefined
      const own = await places(scope)
      const { name: source } = await own.of(from)
      const target = to === undefined ? undefined : (await own.of(to)).name
      return source === target ? undefined : { source, target }
    },

    async affectedBy({ source, target }: Area, change: Change): Promise<Affected[]> {
      const { scope, from = rootPath, to } = change
      const leaving = await inside([source, writtenIn(scope, from)])
      if (target === undefined || to === undefined) return leaving.map(({ share }) => ({ share, to: undefined }))

      const pause = pauses()
      const affected: Affected[] = []
      const moved = new Set<string>()
      for (const { share, rest } of leaving) {
        moved.add(share.link.hash)
        affected.push({ share, to: (await places(share.scope)).pathTo(rebase(target, rest)) })
        await pause()
      }
      const storage = deps.storageAt(scope)
      for (const { share, rest } of await inside([target, writtenIn(scope, to)])) {
        await pause()
        if (moved.has(share.link.hash)) continue
        const [comes, stands] = [await entryAt(storage, rebase(from, rest)), await entryAt(storage, rebase(to, rest))]
        // Folders are merged; otherwise what is moved takes the place of what is there.
        if (comes === undefined || (comes.kind === 'folder' && stands?.kind === 'folder')) continue
        affected.push({ share, to: undefined })
      }
      return affected
    },
  }
}

/** The hashes of all shares of what lies at a path. */
export async function sharesAt(deps: LookupDeps, { user }: Actor, path: VirtualPath): Promise<ReadonlySet<string>> {
  const { places, inside } = survey(deps)
  const { target } = await (await places(user.scope)).of(path)
  return new Set((await inside([target])).filter(({ isTarget }) => isTarget).map(({ share }) => share.link.hash))
}

interface Found {
  readonly share: Share
  /** Its path below the place in question. */
  readonly rest: VirtualPath
  /** It leads to that very place. */
  readonly isTarget: boolean
}

/**
 * Finds shares by where they lie, since the same path is another file in each scope. Those without a symlink on the way
 * are found by the index; the others have to be resolved.
 */
function survey({ db, storageAt }: LookupDeps) {
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

/** Where a path would lie if no symlink stood in its way: one may have come after a share was looked at. */
const writtenIn = (scope: string, path: VirtualPath): VirtualPath => rebase(folderOf(scope), path)
