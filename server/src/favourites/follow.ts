import type { Kysely } from 'kysely'
import type { Change } from '../changes/change.ts'
import type { Follower } from '../changes/follower.ts'
import type { Database } from '../database/schema.ts'
import { movedAlong } from '../mounts/location.ts'
import { favouritesBelow, relocateFavourites } from './store.ts'

/**
 * Favourites follow their folders, whichever account moves them and whichever mount they are moved to, into a store and out
 * of it, and end with them.
 * One whose user does not see it there is not shown. Where nothing can be read or written about it the change goes on: a
 * favourite that leads nowhere is removed by hand. For the same reason nothing is recovered after a crash, and symlinks
 * are not resolved.
 */
export const favouriteFollower = (db: Kysely<Database>, changed?: (userId: number) => void): Follower => ({
  name: 'favourites',
  kinds: new Set(['move', 'remove', 'restore']),
  async prepare({ from, to }: Change) {
    if (from === undefined) return undefined
    const found = await favouritesBelow(db, from).catch(() => [])
    if (found.length === 0) return undefined
    const moves = found.map((favourite) => ({
      favourite,
      to: to === undefined ? undefined : movedAlong(favourite.location, from, to),
    }))
    return {
      intent: 'none',
      conclude: async (result) => (result === 'done' ? (trx) => relocateFavourites(trx, moves) : undefined),
      release() {
        for (const userId of new Set(found.map((favourite) => favourite.userId))) changed?.(userId)
      },
    }
  },
  recover: async () => undefined,
})
