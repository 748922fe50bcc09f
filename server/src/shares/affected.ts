import { isInside } from '@filestead/contract'
import type { Actor } from '../access/actor.ts'
import type { Change } from '../changes/change.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import { rebase, rootPath, type VirtualPath } from '../storage/path.ts'
import type { Entry } from '../storage/port.ts'
import { entryAt, pathAsWritten, type ResolvedPath, scopeResolvers } from './resolve.ts'
import type { ShareDeps } from './shares.ts'
import { type Share, sharesBelow, sharesThroughSymlinks } from './store.ts'

type FinderDeps = Pick<ShareDeps, 'db' | 'storageAt'>

/** A share whose file is moved or removed. */
export interface AffectedShare {
  readonly share: Share
  /** Where its file will be; undefined if it is removed, replaced, or moved out of the owner's scope. */
  readonly to: string | undefined
}

/** What a change moves or removes, as paths from the root. */
export interface ChangedPaths {
  readonly source: VirtualPath
  /** Undefined for a removal. */
  readonly target: VirtualPath | undefined
}

/** For one change: which paths it changes, and which shares it affects. */
export function affectedShares(deps: FinderDeps) {
  const { resolvers, findInside } = shareFinder(deps)
  return {
    async pathsOf({ scope, from, to }: Change): Promise<ChangedPaths | undefined> {
      if (from === undefined) return undefined
      const { resolve } = await resolvers(scope)
      const { entry: source } = await resolve(from)
      const target = to === undefined ? undefined : (await resolve(to)).entry
      return source === target ? undefined : { source, target }
    },

    /** All at or below the source; and at the target, where something arrives that is no folder, those of just that path. */
    async sharesAround({ source, target }: ChangedPaths, change: Change, arrives: Entry | undefined): Promise<Share[]> {
      const { scope, from = rootPath, to } = change
      const inSource = await findInside([source, pathAsWritten(scope, from)])
      const isReplaced = target !== undefined && to !== undefined && arrives?.kind !== 'folder'
      const atTarget = isReplaced ? await findInside([target, pathAsWritten(scope, to)]) : []
      return [...inSource, ...atTarget.filter(({ rest }) => rest === '/')].map(({ share }) => share)
    },

    async affectedBy({ source, target }: ChangedPaths, change: Change): Promise<AffectedShare[]> {
      const { scope, from = rootPath, to } = change
      const inSource = await findInside([source, pathAsWritten(scope, from)])
      if (target === undefined || to === undefined) return inSource.map(({ share }) => ({ share, to: undefined }))

      const pause = timeSlices()
      const affected: AffectedShare[] = []
      const moved = new Set<string>()
      for (const { share, rest } of inSource) {
        moved.add(share.link.hash)
        affected.push({ share, to: (await resolvers(share.scope)).pathTo(rebase(target, rest)) })
        await pause()
      }
      const storage = deps.storageAt(scope)
      for (const { share, rest } of await findInside([target, pathAsWritten(scope, to)])) {
        await pause()
        if (moved.has(share.link.hash)) continue
        const [arriving, present] = [
          await entryAt(storage, rebase(from, rest)),
          await entryAt(storage, rebase(to, rest)),
        ]
        // Folders are merged; anything else is replaced by what arrives.
        if (arriving === undefined || (arriving.kind === 'folder' && present?.kind === 'folder')) continue
        affected.push({ share, to: undefined })
      }
      return affected
    },
  }
}

/** The hashes of all shares of the entry at a path. */
export async function sharesAt(deps: FinderDeps, { user }: Actor, path: VirtualPath): Promise<ReadonlySet<string>> {
  const { resolvers, findInside } = shareFinder(deps)
  const { target } = await (await resolvers(user.scope)).resolve(path)
  return new Set((await findInside([target])).filter(({ isTarget }) => isTarget).map(({ share }) => share.link.hash))
}

interface Found {
  readonly share: Share
  /** Its path below the folder in question. */
  readonly rest: VirtualPath
  /** The share leads to that very path. */
  readonly isTarget: boolean
}

/**
 * Finds shares by their paths from the root, since the same path is another file in each scope. Those without a symlink
 * are found by the index; the others have to be resolved.
 */
function shareFinder({ db, storageAt }: FinderDeps) {
  const resolvers = scopeResolvers(storageAt)
  const pause = timeSlices()
  let behindSymlinks: { share: Share; resolved: ResolvedPath }[] | undefined

  async function resolveSymlinks(): Promise<{ share: Share; resolved: ResolvedPath }[]> {
    if (behindSymlinks !== undefined) return behindSymlinks
    behindSymlinks = []
    for (const share of await sharesThroughSymlinks(db)) {
      const { resolve } = await resolvers(share.scope)
      behindSymlinks.push({ share, resolved: await resolve(share.link.path as VirtualPath) })
      await pause()
    }
    return behindSymlinks
  }

  const restOf = (path: VirtualPath, folder: VirtualPath) =>
    `/${path.slice(folder === '/' ? 1 : folder.length + 1)}` as VirtualPath

  return {
    resolvers,
    /** Shares at or below one of these folders, relative to the first that fits. */
    async findInside(folders: readonly VirtualPath[]): Promise<Found[]> {
      const found = new Map<string, Found>()
      const add = (share: Share, paths: readonly VirtualPath[]) => {
        for (const folder of folders) {
          const inside = paths.find((path) => isInside(path, folder))
          if (inside === undefined) continue
          found.set(share.link.hash, { share, rest: restOf(inside, folder), isTarget: paths.at(-1) === folder })
          return
        }
      }
      for (const folder of new Set(folders))
        for (const share of await sharesBelow(db, folder)) {
          if (!found.has(share.link.hash)) add(share, [rebase(share.scope, share.link.path as VirtualPath)])
          await pause()
        }
      for (const { share, resolved } of await resolveSymlinks()) add(share, [resolved.entry, resolved.target])
      return [...found.values()]
    },
  }
}
