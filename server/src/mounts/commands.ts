import { Failure } from '../failure.ts'
import { isDiskAddress } from '../storage/address.ts'
import { diskAway } from '../storage/disk/base.ts'
import type { DiskScopes } from '../storage/disk/scopes.ts'
import { baseOf, firstMount } from './location.ts'
import type { Mounts } from './mounts.ts'
import type { MountFacts } from './store.ts'

/** The storage of every folder in all mounts without threads, each opened when it is first asked for. */
export function storageOfCommands(
  mounts: readonly MountFacts[],
  firstFacts: Pick<MountFacts, 'folder' | 'links'>,
  open: (root: { folder: string; follows: boolean; isFurtherMount: boolean }) => Pick<DiskScopes, 'storageAt'>,
): Mounts['storageAt'] {
  const opened = new Map<number, Pick<DiskScopes, 'storageAt'>>()
  return (base) => {
    const { id, folder } = baseOf(base)
    const facts = id === firstMount ? firstFacts : mounts.find((mount) => mount.id === id)
    if (facts === undefined) throw new Failure('unavailable', diskAway)
    if (!isDiskAddress(facts.folder)) throw new Failure('unavailable', 'Commands ask no other server for files')
    const root = { folder: facts.folder, follows: facts.links === 'outside', isFurtherMount: id !== firstMount }
    const scopes = opened.get(id) ?? open(root)
    opened.set(id, scopes)
    return scopes.storageAt(folder)
  }
}
