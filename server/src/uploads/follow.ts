import type { Kysely } from 'kysely'
import type { Change } from '../changes/change.ts'
import type { Follower } from '../changes/follower.ts'
import { takenAlong } from '../changes/taken-along.ts'
import type { Database } from '../database/schema.ts'
import { isFailure } from '../failure.ts'
import { isWithin, type Location, movedAlong } from '../mounts/location.ts'
import { LinkInTheWay } from '../storage/port.ts'
import { atPlace } from './places.ts'
import type { UploadMove } from './store.ts'
import type { Uploads } from './uploads.ts'

interface UploadFollowDeps extends Pick<Uploads, 'store' | 'held' | 'storageAt'> {
  readonly db: Kysely<Database>
}

const followerName = 'uploads'

/**
 * A draft moves with its folder. The upload goes on at its old address and becomes a file where the folder is by then, as
 * long as its sender may write there.
 */
export const uploadFollower = ({ db, store, held, storageAt }: UploadFollowDeps): Follower => {
  async function movesOf({ kind, from, to }: Change): Promise<UploadMove[]> {
    if (kind !== 'move' || from === undefined || to === undefined) return []
    return (await store.below(from)).map(({ id, place }) => ({ id, before: place, place: movedAlong(place, from, to) }))
  }

  async function isAt(place: Location, { id }: UploadMove): Promise<boolean> {
    try {
      const draft = await atPlace(storageAt, place, (storage, path) => storage.openDraft(path, id))
      draft.close()
      return true
    } catch (error) {
      if (isFailure(error, 'not-found') || error instanceof LinkInTheWay) return false
      throw error
    }
  }

  return {
    name: followerName,
    kinds: new Set(['move', 'remove']),
    async prepare(change) {
      // Their drafts go where the folder goes.
      if (change.from !== undefined) await held.write({ below: change.from })
      // A move is never refused because of uploads: one that loses its draft begins anew.
      const moves = await movesOf(change).catch(() => [])
      if (moves.length === 0) return undefined
      return {
        intent: 'wanted',
        notes: null,
        async conclude(result, { id }) {
          if (result !== 'done' || change.from === undefined) return undefined
          const taken = await takenAlong({ db, storageAt }, { folder: change.from, id, follower: followerName })
          const own = moves.filter(({ before }) => !taken.some((place) => isWithin(before, place)))
          return (trx) => store.relocate(own, trx)
        },
      }
    },
    async recover(change) {
      const moved: UploadMove[] = []
      // Another change may have taken it elsewhere.
      for (const move of await movesOf(change))
        if (!(await isAt(move.before, move)) && (await isAt(move.place, move))) moved.push(move)
      return (trx) => store.relocate(moved, trx)
    },
  }
}
