import { nameOf } from '@filestead/contract/paths'
import { Failure } from '../../failure.ts'
import { succeeds, tolerating } from '../linux/errno.ts'
import { type Identity, type Kernel, type Name, O, type Stat } from '../linux/kernel.ts'
import { isFolder, isLink } from '../linux/modes.ts'
import { parentOf, type VirtualPath } from '../path.ts'
import { LinkInTheWay } from '../port.ts'
import type { Disk } from './disk.ts'
import { notThere } from './opening.ts'
import { makeParents, openHeld } from './parents.ts'
import { syncFolder, syncNamed } from './sync.ts'

/** A name in an open folder: a change by it cannot be led elsewhere by a rename or a symlink on the way. */
export interface NameAt {
  readonly folder: number
  readonly name: Name
}

/** What a change is about, with its parent folder open. */
export interface Target extends NameAt {
  readonly name: string
  close(): void
  /** Takes away the parents that were made for it, as far as they are still empty. */
  undoParents(): void
}

/** Opens the folder that holds `path`. */
export async function openTarget(
  disk: Disk,
  base: number,
  path: VirtualPath,
  parents: 'create' | 'must-exist',
): Promise<Target> {
  if (path === '/') throw new Failure('forbidden', 'The root folder itself cannot be changed')
  // Not by node:path, which reads and writes UTF-8 and nothing else.
  const parent = parentOf(path)
  const open = () => openHeld(disk, base, parent)
  const there = parents === 'create' ? tolerating(['ENOENT'], open) : open()
  const { held, undo } = there ? { held: there, undo() {} } : await makeParents(disk, base, parent)
  const name = nameOf(path)
  if (disk.ownFiles.reserves(name, () => disk.kernel.statOpen(held.fd))) {
    held.close()
    undo()
    throw parents === 'create' ? reservedName() : notThere()
  }
  return {
    folder: held.fd,
    name,
    close: held.close,
    undoParents() {
      held.release()
      undo()
    },
  }
}

async function syncNewFolder(kernel: Kernel, { folder, name }: NameAt): Promise<void> {
  if (kernel.keepsOrder(folder)) return syncFolder(kernel, folder)
  // The mode of new folders may close it to its maker.
  const open = () => kernel.open(folder, name, O.RDONLY | O.DIRECTORY | O.NOFOLLOW)
  const fd = tolerating(['ENOENT', 'EACCES', 'ELOOP', 'ENOTDIR'], open)
  if (fd === undefined) return syncFolder(kernel, folder)
  try {
    await syncNamed(kernel, fd, folder)
  } finally {
    kernel.close(fd)
  }
}

export const reservedName = () => new Failure('forbidden', 'This name is reserved')

/** One that is there already is fine. */
export async function createFolder({ kernel, ownFiles, modes, keeping }: Disk, place: Target): Promise<void> {
  if (succeeds(['EEXIST'], () => kernel.makeFolder(place.folder, place.name, modes().folder))) {
    keeping?.made(place)
    return syncNewFolder(kernel, place)
  }
  const there = kernel.stat(place.folder, place.name)
  if (isLink(there.mode)) throw new LinkInTheWay()
  if (!isFolder(there.mode)) throw new Failure('already-exists', 'A file has this name')
  if (ownFiles.is(there)) throw reservedName()
}

export const statAt = (kernel: Kernel, { folder, name }: NameAt): Stat | undefined => kernel.look(folder, name)

export const isSame = (one: Identity | undefined, two: Identity | undefined): boolean =>
  one !== undefined && one.inode === two?.inode && one.device === two.device
