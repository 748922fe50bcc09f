import { nameOf, type Right } from '@filestead/contract'
import { parentOf, type VirtualPath } from '../storage/path.ts'
import type { TransferKind } from '../storage/transfer-options.ts'
import type { FolderGrants } from './granted.ts'

/** What a copy or move needs where something leaves, and where it arrives. */
export interface TransferRights {
  readonly leaving: Right
  readonly arriving: Right
}

type RightsIn = (folder: VirtualPath) => FolderGrants | undefined

export function rightsToTransfer(
  kind: TransferKind,
  rightsIn: RightsIn,
  from: VirtualPath,
  to: VirtualPath,
): TransferRights {
  if (kind === 'copy') return { leaving: 'download', arriving: 'create' }
  return isRename(rightsIn, from, to)
    ? { leaving: 'change', arriving: 'change' }
    : { leaving: 'delete', arriving: 'create' }
}

/** Within a folder. At a name with rights of its own a thing would have those: to give it that name is to move it there. */
export function isRename(rightsIn: RightsIn, from: VirtualPath, to: VirtualPath): boolean {
  if (parentOf(from) !== parentOf(to)) return false
  const grants = rightsIn(parentOf(to))
  if (grants === undefined || !grants.varies) return true
  return grants.rightsOf(nameOf(to)) === grants.rights && !grants.leadsOn(nameOf(to))
}
