import { isInside } from '@filestead/contract'
import type { Change } from '../changes/change.ts'
import type { Follower } from '../changes/follower.ts'
import { isFailure } from '../failure.ts'
import { parsePath, rebase, rootPath, type VirtualPath } from '../storage/path.ts'
import { scopeFolder } from '../users/home.ts'
import type { Upload } from './store.ts'
import type { Uploads } from './uploads.ts'

interface Move extends Pick<Upload, 'id' | 'scope' | 'place'> {
  readonly before: Pick<Upload, 'scope' | 'place'>
}

/** A draft moves with its folder. The upload goes on at its old address and becomes a file where the folder is by then. */
export const uploadFollower = ({ store, storageAt }: Pick<Uploads, 'store' | 'storageAt'>): Follower => {
  async function movesOf({ scope, from, to }: Change): Promise<Move[]> {
    if (from === undefined || to === undefined) return []
    const base = scopeFolder(scope)
    const [source, target] = [rebase(base, from), rebase(base, to)]
    return (await store.below(source)).map((upload) => ({
      ...{ id: upload.id, scope: upload.scope, before: upload },
      ...movedTo(upload, source, target),
    }))
  }

  async function isStillThere({ id, before }: Move): Promise<boolean> {
    try {
      const draft = await storageAt(before.scope).openDraft(before.place, id)
      draft.close()
      return true
    } catch (error) {
      if (isFailure(error, 'not-found')) return false
      throw error
    }
  }

  return {
    name: 'uploads',
    kinds: new Set(['move']),
    async prepare(change) {
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

function movedTo({ scope, place }: Upload, source: VirtualPath, target: VirtualPath): Pick<Upload, 'scope' | 'place'> {
  const after = rebase(target, rebase(scope, place).slice(source.length) as VirtualPath)
  if (isInside(after, scope)) return { scope, place: parsePath(scope === '/' ? after : after.slice(scope.length)) }
  // The owner cannot reach it any more. It expires, and its draft is removed from the root.
  return { scope: rootPath, place: after }
}
