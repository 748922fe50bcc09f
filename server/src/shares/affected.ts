import { segmentsOf } from '@filestead/contract'
import type { Access } from '../access/access.ts'
import type { Change } from '../changes/change.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import { below, isWithin, type Location, mountOf, pathIn, relativeTo } from '../mounts/location.ts'
import { resolvedOrAsWritten } from '../mounts/resolved.ts'
import type { VirtualPath } from '../storage/path.ts'
import { ownerAccesses } from './owners.ts'
import { entryAt, type ResolvedLocation, resolveLocation } from './resolve.ts'
import type { ShareDeps } from './shares.ts'
import { type Share, sharesBelow, sharesThroughSymlinks } from './store.ts'

type FinderDeps = Pick<ShareDeps, 'db' | 'storageAt'>

/** A share whose file is moved or removed. */
export interface AffectedShare {
  readonly share: Share
  /** Where its file will be; undefined if it is removed, replaced, or moved to where its owner has nothing. */
  readonly to: Location | undefined
  /** Would the share go along to this location, or end because its owner has nothing there? */
  mayGoTo(location: Location): boolean
}

/** What a change moves or removes, symlinks resolved. */
export interface ChangedLocations {
  readonly source: Location
  /** Undefined for a removal. */
  readonly target: Location | undefined
}

/** For one change: which locations it changes, and which shares it affects. */
export function affectedShares(deps: FinderDeps & Pick<ShareDeps, 'access'>) {
  const { findInside } = shareFinder(deps)
  const owners = ownersOf(deps)
  return {
    async locationsOf({ kind, from, to }: Change): Promise<ChangedLocations | undefined> {
      if (from === undefined) return undefined
      const { entry: source } = await resolveLocation(deps.storageAt, from)
      // A share ends with its file, also where that is kept: what is in a store is shown to no visitor.
      const target =
        to === undefined || kind === 'remove' ? undefined : (await resolveLocation(deps.storageAt, to)).entry
      return source === target ? undefined : { source, target }
    },

    /** All at or below the source; and those of just the target, where what was there is not there now. */
    async sharesAround(
      { source, target }: ChangedLocations,
      { from = source, to }: Change,
      isReplaced: () => Promise<boolean>,
    ): Promise<Share[]> {
      const inSource = await findInside([source, from])
      const atTarget = target === undefined || to === undefined ? [] : await findInside([target, to])
      const replaced = atTarget.filter(({ rest }) => rest === '/')
      return [...inSource, ...(replaced.length > 0 && (await isReplaced()) ? replaced : [])].map(({ share }) => share)
    },

    async affectedBy({ source, target }: ChangedLocations, { from = source, to }: Change): Promise<AffectedShare[]> {
      const inSource = await findInside([source, from])
      if (target === undefined || to === undefined)
        return inSource.map(({ share }) => ({ share, to: undefined, mayGoTo: nowhere }))

      const pause = timeSlices()
      const affected: AffectedShare[] = []
      const moved = new Set<string>()
      for (const { share, rest } of inSource) {
        moved.add(share.link.hash)
        const owner = await owners(share, source)
        affected.push({ share, to: owner.nameOf(below(target, rest)), mayGoTo: owner.reaches })
        await pause()
      }
      for (const { share, rest } of await findInside([target, to])) {
        await pause()
        if (moved.has(share.link.hash)) continue
        const [arriving, present] = [
          await entryAt(deps.storageAt, below(from, rest)),
          await entryAt(deps.storageAt, below(to, rest)),
        ]
        // Folders are merged; anything else is replaced by what arrives.
        if (arriving === undefined || (arriving.kind === 'folder' && present?.kind === 'folder')) continue
        affected.push({ share, to: undefined, mayGoTo: nowhere })
      }
      return affected
    },
  }
}

const nowhere = () => false

interface ShareOwner {
  reaches(location: Location): boolean
  /** The location as one that the owner reaches: a home that is a symlink has its files under its own name. */
  nameOf(location: Location): Location | undefined
}

/** Made for one question and thrown away. */
function ownersOf(deps: FinderDeps & Pick<ShareDeps, 'access'>) {
  const accessOf = ownerAccesses(deps)
  const bases = new Map<Location, Promise<Location>>()
  const resolvedOnce = (base: Location) => {
    const resolved = bases.get(base) ?? resolvedOrAsWritten(deps.storageAt, base)
    bases.set(base, resolved)
    return resolved
  }

  return async ({ link, location: now }: Share, source: Location): Promise<ShareOwner> => {
    const access = await accessOf(link.userID)
    // A share of what its owner does not reach now shows nothing, and stays with its file until that changes.
    if (access?.tree.pathTo(now) === undefined || isGrantMoved(access, now, source))
      return { reaches: () => true, nameOf: (location) => location }
    const { tree } = access
    const base = tree.parts.map((part) => part.base).find((start) => isWithin(now, start)) ?? now
    const resolved = await resolvedOnce(base)
    const reaches = (location: Location) => tree.pathTo(location) !== undefined
    return {
      reaches,
      nameOf(location) {
        if (resolved !== base && isWithin(location, resolved)) return below(base, relativeTo(resolved, location))
        return reaches(location) ? location : undefined
      },
    }
  }
}

/** Is what the owner may do there granted for the moved folder, or below it? Then the grant goes along; a home never does. */
const isGrantMoved = ({ granted, tree }: Access, location: Location, source: Location): boolean =>
  granted.decidingDepth(location) >= segmentsOf(pathIn(source)).length &&
  !tree.parts.some(({ isHome, base }) => isHome && isWithin(base, source))

/** The hashes of all shares of the entry at a location. */
export async function sharesAt(deps: FinderDeps, location: Location): Promise<ReadonlySet<string>> {
  const { target } = await resolveLocation(deps.storageAt, location)
  const found = await shareFinder(deps).findInside([target])
  return new Set(found.filter(({ isTarget }) => isTarget).map(({ share }) => share.link.hash))
}

interface Found {
  readonly share: Share
  /** Its path below the folder in question. */
  readonly rest: VirtualPath
  /** The share leads to that very location. */
  readonly isTarget: boolean
}

/**
 * Finds shares by where they lie, whichever account they belong to. Those without a symlink are found by the index; the
 * others have to be resolved, in the mounts in question alone, because another one may not answer.
 */
function shareFinder({ db, storageAt }: FinderDeps) {
  const pause = timeSlices()
  const behindSymlinks = new Map<number, { share: Share; resolved: ResolvedLocation }[]>()
  let symlinked: Promise<Share[]> | undefined

  async function resolveSymlinks(mount: number): Promise<{ share: Share; resolved: ResolvedLocation }[]> {
    const known = behindSymlinks.get(mount)
    if (known !== undefined) return known
    symlinked ??= sharesThroughSymlinks(db)
    const found: { share: Share; resolved: ResolvedLocation }[] = []
    for (const share of await symlinked) {
      if (mountOf(share.location) !== mount) continue
      found.push({ share, resolved: await resolveLocation(storageAt, share.location) })
      await pause()
    }
    behindSymlinks.set(mount, found)
    return found
  }

  return {
    /** Shares at or below one of these folders, relative to the first that fits. */
    async findInside(folders: readonly Location[]): Promise<Found[]> {
      const found = new Map<string, Found>()
      const add = (share: Share, locations: readonly Location[]) => {
        for (const folder of folders) {
          const inside = locations.find((location) => isWithin(location, folder))
          if (inside === undefined) continue
          const isTarget = locations.at(-1) === folder
          found.set(share.link.hash, { share, rest: relativeTo(folder, inside), isTarget })
          return
        }
      }
      for (const folder of new Set(folders))
        for (const share of await sharesBelow(db, folder)) {
          if (!found.has(share.link.hash)) add(share, [share.location])
          await pause()
        }
      for (const mount of new Set(folders.map(mountOf)))
        for (const { share, resolved } of await resolveSymlinks(mount)) add(share, [resolved.entry, resolved.target])
      return [...found.values()]
    },
  }
}
