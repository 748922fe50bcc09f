import { isInside } from '@filestead/contract'
import type { Kysely } from 'kysely'
import type { Change } from '../changes/change.ts'
import type { Follower } from '../changes/follower.ts'
import type { Database } from '../database/schema.ts'
import { rebase, rootPath, type VirtualPath } from '../storage/path.ts'
import { scopeFolder } from '../users/home.ts'
import { type FavouritePlace, favouritesBelow, relocateFavourites } from './store.ts'

/**
 * Favourites follow their folders, whichever account moves them, and end with them. Where nothing can be read or written
 * about it the change goes on: a favourite that leads nowhere is removed by hand. For the same reason nothing is
 * recovered after a crash, and symlinks are not resolved.
 */
export const favouriteFollower = (db: Kysely<Database>): Follower => ({
  name: 'favourites',
  kinds: new Set(['move', 'remove']),
  async prepare({ scope, from, to }: Change) {
    if (from === undefined) return undefined
    const base = scopeFolder(scope)
    const source = rebase(base, from)
    const target = to === undefined ? undefined : rebase(base, to)
    const found = await favouritesBelow(db, source).catch(() => [])
    if (found.length === 0) return undefined
    const moves = found.map((favourite) => ({ favourite, to: pathAfter(favourite, source, target) }))
    return {
      intent: 'none',
      conclude: async (result) => (result === 'done' ? (trx) => relocateFavourites(trx, moves) : undefined),
    }
  },
  recover: async () => undefined,
})

/** Undefined where the folder is removed, or leaves the scope of its user. */
export function pathAfter(
  { scope, path }: FavouritePlace,
  source: VirtualPath,
  target: VirtualPath | undefined,
): string | undefined {
  if (target === undefined) return undefined
  const before = scope === rootPath ? path : scope + path
  const after = target + before.slice(source.length)
  if (!isInside(after, scope)) return undefined
  return scope === rootPath ? after : after.slice(scope.length) || rootPath
}
