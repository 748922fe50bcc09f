import { Failure } from '../failure.ts'
import { draftPrefix, inFolder as pathBelow, type VirtualPath } from '../files/path.ts'
import type { Disk } from './disk.ts'
import { codeOf } from './errno.ts'
import { type FolderItem, type Kernel, type Name, O } from './kernel.ts'
import { isFolder, isLink } from './modes.ts'
import { reservedName, type Spot, statAt } from './place.ts'
import { sync } from './sync.ts'

interface Force {
  /** Opens up folders that are closed to us; for trees of our own making. */
  force?: boolean
}

/** Removes a name and, for a folder, all below it. Never follows a link. */
export async function removeTree(
  kernel: Kernel,
  parent: number,
  name: Name,
  { force, mode = kernel.stat(parent, name).mode }: Force & { mode?: number } = {},
): Promise<void> {
  if (!isFolder(mode)) return kernel.unlink(parent, name)
  await emptyAndRemove(kernel, { folder: parent, name }, { force }, (folder, item) =>
    removeTree(kernel, folder, exactName(item), { force, mode: item.stat.mode }),
  )
}

/** Goes through everything below an open folder; what cannot be addressed is told with replacement marks. */
export async function visitTree(
  kernel: Kernel,
  folder: number,
  path: VirtualPath,
  visit: (path: VirtualPath) => void,
): Promise<void> {
  await eachItem(kernel, folder, async (item) => {
    if (isDraft(item)) return
    const below = pathBelow(path, item.name)
    visit(below)
    if (isFolder(item.stat.mode))
      await inFolder(kernel, { folder, name: exactName(item) }, (fd) => visitTree(kernel, fd, below, visit))
  })
}

/** Can one tree take the place of, or merge into, the other? Asked before anything is changed. */
export async function requireMergeable(disk: Disk, from: Spot, to: Spot): Promise<void> {
  const { kernel, ours } = disk
  if (ours.reserves(to.name, () => kernel.statOpen(to.folder))) throw reservedName()
  const there = statAt(kernel, to)
  if (there === undefined) return
  if (ours.is(there) || (isLink(there.mode) && ours.keeps(there))) throw reservedName()
  const moved = kernel.stat(from.folder, from.name)
  if (isFolder(moved.mode) !== isFolder(there.mode))
    throw new Failure('already-exists', 'A file and a folder cannot replace each other')
  if (!isFolder(moved.mode)) return
  await inFolder(kernel, to, (into) =>
    inFolder(kernel, from, (folder) =>
      eachItem(kernel, folder, (item) => {
        const name = exactName(item)
        return requireMergeable(disk, { folder, name }, { folder: into, name })
      }),
    ),
  )
}

/** Moves a tree onto another one: what is new comes along, files of the same name are replaced. */
export async function mergeTree(kernel: Kernel, from: Spot, to: Spot, { force }: Force = {}): Promise<void> {
  const there = statAt(kernel, to)
  if (there === undefined || !isFolder(there.mode)) return kernel.rename(from.folder, from.name, to.folder, to.name)
  await inFolder(kernel, to, async (into) => {
    await emptyAndRemove(kernel, from, { force }, (folder, item) => {
      const name = exactName(item)
      // Whoever was writing here loses the folder; the draft would lie hidden in the other one for ever.
      if (isDraft(item)) return removeTree(kernel, folder, name)
      return mergeTree(kernel, { folder, name }, { folder: into, name }, { force })
    })
    await sync(kernel, into)
  })
}

/** Visits what an open folder holds. Returns how much that was. */
export async function eachItem(
  kernel: Kernel,
  folder: number,
  visit: (item: FolderItem) => Promise<void>,
): Promise<number> {
  let count = 0
  for (let items = kernel.readFolder(folder); items !== null; items = kernel.readFolder(folder)) {
    for (const item of items) await visit(item)
    count += items.length
    await breathe()
  }
  return count
}

/** What other requests wait for while a long job runs: one turn of the event loop. */
export const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

export const exactName = (item: Pick<FolderItem, 'name' | 'bytes'>): Name => item.bytes ?? item.name

export const isDraft = (item: Pick<FolderItem, 'name'>): boolean => item.name.startsWith(draftPrefix)

/** Reading while names go away may skip some on some file systems, so the folder is read until it is empty. */
async function emptyAndRemove(
  kernel: Kernel,
  spot: Spot,
  { force }: Force,
  visit: (folder: number, item: FolderItem) => Promise<void>,
): Promise<void> {
  // Whoever may not open it up will be told by the removal.
  if (force) await inFolder(kernel, spot, async (folder) => kernel.changeMode(folder, 0o700)).catch(() => {})
  for (;;) {
    const count = await inFolder(kernel, spot, (folder) => eachItem(kernel, folder, (item) => visit(folder, item)))
    try {
      return kernel.removeFolder(spot.folder, spot.name)
    } catch (error) {
      if (codeOf(error) !== 'ENOTEMPTY' || count === 0) throw error
    }
  }
}

async function inFolder<T>(kernel: Kernel, { folder, name }: Spot, work: (folder: number) => Promise<T>): Promise<T> {
  const fd = kernel.open(folder, name, O.RDONLY | O.DIRECTORY | O.NOFOLLOW)
  try {
    return await work(fd)
  } finally {
    kernel.close(fd)
  }
}
