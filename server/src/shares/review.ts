import { pauses } from '../concurrency/pauses.ts'
import { rebase, type VirtualPath } from '../storage/path.ts'
import { folderOf, type Places, placeFinder } from './places.ts'
import type { ShareDeps } from './shares.ts'
import { allShares, noteLinks } from './store.ts'

/** Does a symlink stand on the way to a path of a scope? Then it lies elsewhere than its text says. */
export async function isThroughLink(places: Places, scope: string, path: VirtualPath): Promise<boolean> {
  const text = rebase(folderOf(scope), path)
  const { name, target } = await places.of(path)
  return name !== text || target !== text
}

/** Looks at every share once, after the start: symlinks may have come and gone while the server was away. */
export async function reviewShares(
  { db, storageAt }: Pick<ShareDeps, 'db' | 'storageAt'>,
  signal: AbortSignal,
): Promise<void> {
  const places = placeFinder(storageAt)
  const pause = pauses(signal)
  const changed: Record<'linked' | 'plain', string[]> = { linked: [], plain: [] }
  for (const { link, scope, isThroughLink: was } of await allShares(db)) {
    const rest = pause()
    if (rest !== undefined) await rest
    const is = await isThroughLink(await places(scope), scope, link.path as VirtualPath)
    if (is !== was) changed[is ? 'linked' : 'plain'].push(link.hash)
  }
  signal.throwIfAborted()
  await noteLinks(db, changed.linked, true)
  await noteLinks(db, changed.plain, false)
}
