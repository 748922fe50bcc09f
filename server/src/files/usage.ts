import { hasRight, type Usage } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
import { locationIn, mountOf } from '../mounts/location.ts'
import { rootPath, type VirtualPath } from '../storage/path.ts'

/** In bytes, of what a mount keeps in its trash and in older versions. */
export type KeptSize = (mount: number) => Promise<number>

/** The size of what is kept is for accounts that see all of the mount: to others it would tell of what they do not see. */
export async function usageOf(scope: Scope, path: VirtualPath, keptSize: KeptSize): Promise<Usage> {
  const { kind } = await scope.stat(path)
  if (kind !== 'folder') return { total: 0, used: 0 }
  const usage = await scope.usage(path)
  const mount = wholeMountAt(scope, path)
  const kept = mount === undefined ? 0 : await keptSize(mount)
  return kept === 0 ? usage : { ...usage, kept }
}

function wholeMountAt({ tree, view }: Scope, path: VirtualPath): number | undefined {
  const part = tree.find(path)?.part
  if (part === undefined) return undefined
  const mount = mountOf(part.base)
  const top = tree.pathIn(part, rootPath)
  const isSeen = view.rights === undefined || hasRight(view.rights.rightsThroughout(top), 'see')
  return part.base === locationIn(mount, rootPath) && isSeen ? mount : undefined
}
