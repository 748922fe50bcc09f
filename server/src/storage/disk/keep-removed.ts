import { isInside } from '@filestead/contract/paths'
import { Failure } from '../../failure.ts'
import type { Keep } from '../keeping.ts'
import { storeFor } from '../keeping.ts'
import { idInName, keptName } from '../kept-names.ts'
import { codeOf, Errno } from '../linux/errno.ts'
import { type Kernel, O } from '../linux/kernel.ts'
import { isFolder } from '../linux/modes.ts'
import { readMounts } from '../linux/mount-table.ts'
import { inFolder, type VirtualPath } from '../path.ts'
import type { RemoveOptions } from '../port.ts'
import { requireOnly } from '../version.ts'
import type { Disk } from './disk.ts'
import { pathOfDescriptor } from './drafts.ts'
import { entryOf } from './entry.ts'
import { claimIn } from './keeping.ts'
import { requireUnlocked, surroundingsOf } from './removing.ts'
import { renameToFree } from './renaming.ts'
import { dropInfo, openOrMakeStore, openStoreOf, syncStore, topOf } from './stores.ts'
import { sync } from './sync.ts'
import { statAt, type Target } from './target.ts'

/** A place in the trash of the file system that something lies on. Undefined where the trash is off, or out of reach. */
export async function keepPlace(disk: Disk, root: number, place: Target, keep: Keep): Promise<VirtualPath | undefined> {
  const { kernel } = disk
  const kind = storeFor(keep.cause, 'removed', disk.stores?.() ?? { trash: false, versions: false })
  const top = kind && topOf(kernel, root, place.folder)
  if (kind === undefined || top === undefined) return undefined
  try {
    const store = openOrMakeStore(disk, top, kind)
    try {
      if (store.isNew) await syncStore(kernel, store)
      return inFolder(store.place, freeName(kernel, store.files, place.name, keep))
    } finally {
      store.close()
    }
  } catch (error) {
    throw cannotBeKept(error)
  } finally {
    top.close()
  }
}

/** One operation may remove several things. */
function freeName(kernel: Kernel, files: number, original: string, { operation }: Keep): string {
  for (let count = 1; ; count += 1) {
    const name = keptName(original, count === 1 ? operation : `${operation}-${count}`)
    if (statAt(kernel, { folder: files, name }) === undefined) return name
  }
}

/** One rename, however much a folder holds. */
export async function removeToStore(
  disk: Disk,
  place: Target,
  keptAt: VirtualPath,
  { signal, only, progress }: RemoveOptions,
): Promise<void> {
  const { kernel, keeping } = disk
  if (keeping === undefined) throw new Error('Nothing is kept here')
  const { folder, name } = place
  const store = openStoreOf(kernel, keeping.root(), keptAt)
  const id = store && idInName(store.name)
  try {
    const stat = kernel.stat(folder, name)
    signal?.throwIfAborted()
    requireOnly(only, isFolder(stat.mode), () => entryOf(name, stat).version)
    requireUnlocked(surroundingsOf(kernel, folder), { name, stat })
    if (only === 'empty') requireEmpty(kernel, place)
    const at = keeping.pathOf(place)
    if (isFolder(stat.mode)) requireNothingMounted(disk, place)
    if (store === undefined || id === undefined || at === undefined) throw cannotBeKept()
    // That of an earlier try which ended before the rename.
    if (statAt(kernel, { folder: store.files, name: store.name }) === undefined) dropInfo(kernel, store, store.name)
    const target = { folder, name, stat, by: 'removed' } as const
    try {
      const { keep, tell } = keeping
      const claim = claimIn(kernel, store, { target, at, id, keep, tell }, store.name)
      try {
        renameToFree(kernel, place, claim.at)
      } catch (error) {
        claim.drop()
        throw error
      }
      claim.done()
    } catch (error) {
      throw cannotBeKept(error)
    }
    progress?.({ files: 1, bytes: isFolder(stat.mode) ? 0 : stat.size, current: '' })
    // It has its new name before the old one is gone for good.
    if (!kernel.keepsOrder(folder)) await sync(kernel, store.files)
  } finally {
    store?.close()
  }
  await sync(kernel, folder)
}

/** What is gone, or busy, or closed to us, is so for every way to remove it; the rest can go for good. */
function cannotBeKept(error?: unknown): unknown {
  const code = codeOf(error)
  if (error !== undefined && (code === undefined || ownReasons.includes(code))) return error
  const text = 'It cannot be moved into the trash. It can only be deleted for good'
  return new Failure(code === 'ENOSPC' || code === 'EDQUOT' ? 'no-space' : 'forbidden', text, { cause: error })
}

const ownReasons = ['ENOENT', 'EBUSY', 'EIO', 'EMFILE', 'ENFILE', 'ENOTCONN', 'ETIMEDOUT', 'EHOSTDOWN', 'EHOSTUNREACH']

function requireEmpty(kernel: Kernel, { folder, name }: Target): void {
  const fd = kernel.open(folder, name, O.RDONLY | O.DIRECTORY | O.NOFOLLOW)
  try {
    for (let items = kernel.readNames(fd); items !== null; items = kernel.readNames(fd))
      if (items.length > 0) throw new Errno('ENOTEMPTY', 'rename')
  } finally {
    kernel.close(fd)
  }
}

/** The disk would go into the trash with the folder that it is mounted in, and be emptied with it. */
function requireNothingMounted({ volumes }: Disk, { folder, name }: Target): void {
  const path = `${pathOfDescriptor(folder)}/${name}`
  const isMounted = volumes?.areWithin(path) ?? (readMounts() ?? []).some(({ point }) => isInside(point, path))
  if (isMounted) throw new Failure('forbidden', 'Another disk is mounted in this folder')
}
