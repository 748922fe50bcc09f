import type { Change } from '../changes/change.ts'
import type { Follower } from '../changes/follower.ts'
import { isFailure } from '../failure.ts'
import { type Location, movedAlong } from '../mounts/location.ts'
import { LinkInTheWay } from '../storage/port.ts'
import { atPlace } from './places.ts'
import type { Upload } from './store.ts'
import type { Uploads } from './uploads.ts'

interface Move extends Pick<Upload, 'id' | 'place'> {
  readonly before: Location
}

/**
 * A draft moves with its folder. The upload goes on at its old address and becomes a file where the folder is by then, as
 * long as its sender may write there.
 */
export const uploadFollower = ({ store, held, storageAt }: Pick<Uploads, 'store' | 'held' | 'storageAt'>): Follower => {
  async function movesOf({ kind, from, to }: Change): Promise<Move[]> {
    if (kind !== 'move' || from === undefined || to === undefined) return []
    return (await store.below(from)).map(({ id, place }) => ({ id, before: place, place: movedAlong(place, from, to) }))
  }

  async function isStillThere({ id, before }: Move): Promise<boolean> {
    try {
      const draft = await atPlace(storageAt, before, (storage, path) => storage.openDraft(path, id))
      draft.close()
      return true
    } catch (error) {
      if (isFailure(error, 'not-found') || error instanceof LinkInTheWay) return false
      throw error
    }
  }

  return {
    name: 'uploads',
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
        conclude: async (result) => (result === 'done' ? (trx) => store.relocate(moves, trx) : undefined),
      }
    },
    async recover(change) {
      const moved: Move[] = []
      for (const move of await movesOf(change)) if (!(await isStillThere(move))) moved.push(move)
      return (trx) => store.relocate(moved, trx)
    },
  }
}
