import type { Kysely } from 'kysely'
import type { Change } from '../changes/change.ts'
import type { Follower } from '../changes/follower.ts'
import { takenAlong } from '../changes/taken-along.ts'
import type { Database } from '../database/schema.ts'
import { isWithin, movedAlong } from '../mounts/location.ts'
import { isThere } from '../mounts/resolved.ts'
import type { Storage } from '../storage/port.ts'
import { type FavouriteMove, favouritesBelow, relocateFavourites } from './store.ts'

const followerName = 'favourites'

interface FavouriteFollowDeps {
  readonly db: Kysely<Database>
  readonly storageAt: (base: string) => Pick<Storage, 'stat'>
  readonly changed?: (userId: number) => void
}

/**
 * Favourites follow their folders, whichever account moves them and whichever mount they are moved to, into a store and out
 * of it, and end with them.
 * One whose user does not see it there is not shown. Where nothing can be read or written about it the change goes on: a
 * favourite that leads nowhere is removed by hand. For the same reason symlinks are not resolved.
 */
export function favouriteFollower({ db, storageAt, changed }: FavouriteFollowDeps): Follower {
  async function movesOf({ from, to }: Change): Promise<FavouriteMove[]> {
    if (from === undefined) return []
    return (await favouritesBelow(db, from)).map((favourite) => ({
      favourite,
      to: to && movedAlong(favourite.location, from, to),
    }))
  }

  async function untaken({ from, to }: Change, moves: readonly FavouriteMove[], id: string): Promise<FavouriteMove[]> {
    if (from === undefined) return []
    const question = { folder: from, id, follower: followerName, isRemoval: to === undefined }
    const taken = await takenAlong({ db, storageAt }, question)
    return moves.filter(({ favourite }) => !taken.some((place) => isWithin(favourite.location, place)))
  }

  /** Those whose folders have come there, or are gone: of a change that failed in part, or whose end is not known here. */
  async function movesDone(moves: readonly FavouriteMove[]): Promise<FavouriteMove[]> {
    const done: FavouriteMove[] = []
    for (const move of moves) {
      const hasLeft = !(await isThere(storageAt, move.favourite.location))
      if (hasLeft && (move.to === undefined || (await isThere(storageAt, move.to)))) done.push(move)
    }
    return done
  }

  return {
    name: followerName,
    kinds: new Set(['move', 'remove', 'restore']),
    async prepare(change) {
      const moves = await movesOf(change).catch(() => [])
      if (moves.length === 0) return undefined
      return {
        intent: 'wanted',
        notes: null,
        async conclude(result, { id }) {
          const own = await untaken(change, moves, id)
          const done = result === 'done' ? own : await movesDone(own)
          return done.length === 0 ? undefined : (trx) => relocateFavourites(trx, done)
        },
        release() {
          for (const userId of new Set(moves.map(({ favourite }) => favourite.userId))) changed?.(userId)
        },
      }
    },
    async recover(change, _notes, id) {
      const done = await movesDone(await untaken(change, await movesOf(change), id))
      return (trx) => relocateFavourites(trx, done)
    },
  }
}
