import { isInside, join } from '@filestead/contract'
import type { FileWitness } from '../changes/witness.ts'
import { parsePath, rebase, rootPath, type VirtualPath } from '../storage/path.ts'
import type { Upload } from './store.ts'
import type { Uploads } from './uploads.ts'

/** A draft moves with its folder. The upload goes on at its old address and ends where the folder is by then. */
export const uploadWitness = ({ store }: Pick<Uploads, 'store'>, others: FileWitness): FileWitness => ({
  ...others,
  async moving(actor, from, to, deed) {
    const result = await others.moving(actor, from, to, deed)
    const [before, after] = [inRoot(actor.user.scope, from), inRoot(actor.user.scope, to)]
    const follow = async () => {
      const moves: Pick<Upload, 'id' | 'scope' | 'place'>[] = []
      for (const scope of await store.scopes()) {
        const folder = within(inRoot(scope, rootPath), before)
        if (folder === undefined) continue
        for (const upload of await store.below(scope, folder)) {
          const moved = movedTo(upload, before, after)
          if (moved !== undefined) moves.push({ id: upload.id, scope, ...moved })
        }
      }
      if (moves.length > 0) await store.relocate(moves)
    }
    // The move is done; an upload that lost its draft begins anew.
    await follow().catch(() => {})
    return result
  },
})

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
