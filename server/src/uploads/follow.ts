import { isInside, join } from '@filestead/contract'
import type { Change } from '../changes/change.ts'
import type { Follower } from '../changes/follower.ts'
import { isFailure } from '../failure.ts'
import { parsePath, rebase, rootPath, type VirtualPath } from '../storage/path.ts'
import type { Upload } from './store.ts'
import type { Uploads } from './uploads.ts'

type Move = Pick<Upload, 'id' | 'scope' | 'place'> & { readonly before: Pick<Upload, 'scope' | 'place'> }

/** A draft moves with its folder. The upload goes on at its old address and ends where the folder is by then. */
export const uploadFollower = ({ store, storageAt }: Pick<Uploads, 'store' | 'storageAt'>): Follower => {
  async function movesOf({ scope: mover, from, to }: Change): Promise<Move[]> {
    if (from === undefined || to === undefined) return []
    const [before, after] = [inRoot(mover, from), inRoot(mover, to)]
    const moves: Move[] = []
    for (const scope of await store.scopes()) {
      const folder = within(inRoot(scope, rootPath), before)
      if (folder === undefined) continue
      for (const upload of await store.below(scope, folder)) {
        const moved = movedTo(upload, before, after)
        if (moved !== undefined) moves.push({ id: upload.id, scope, ...moved, before: upload })
      }
    }
    return moves
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
      // Never in the way of a move: an upload that loses its draft begins anew.
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

function movedTo({ scope, place }: Upload, from: VirtualPath, to: VirtualPath) {
  const before = inRoot(scope, place)
  if (!before.startsWith(join(from, ''))) return undefined
  const after = rebase(to, before.slice(from.length) as VirtualPath)
  const base = inRoot(scope, rootPath)
  if (isInside(after, base)) return { place: parsePath(after.slice(base === '/' ? 0 : base.length)) }
  // Out of the owner's reach: all that is left to do is to clear it away, which is done from the root.
  return { scope: '/', place: after }
}

/** The part of a scope that lies in a folder, as the scope calls it; none where they have nothing in common. */
function within(base: VirtualPath, folder: VirtualPath): VirtualPath | undefined {
  if (isInside(base, folder)) return rootPath
  return isInside(folder, base) ? parsePath(folder.slice(base === '/' ? 0 : base.length)) : undefined
}

const inRoot = (scope: string, path: VirtualPath): VirtualPath => rebase(parsePath(scope), path)
