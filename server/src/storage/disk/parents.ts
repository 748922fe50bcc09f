import { join, nameOf, parentOf } from '@filestead/contract/paths'
import { succeeds, tolerating } from '../linux/errno.ts'
import { type Kernel, O, type Stat } from '../linux/kernel.ts'
import type { Disk } from './disk.ts'
import { dropFolder } from './displace.ts'
import { pathOfDescriptor } from './drafts.ts'
import { openStrictly } from './opening.ts'
import { sync } from './sync.ts'
import { reservedName } from './target.ts'

/** An open folder in which something is about to be made. */
interface Held {
  readonly fd: number
  /** From now on it may be taken away, if it is empty. */
  release(): void
  close(): void
}

/**
 * How many are about to make something in a folder, by its identity. Of two that write into a new folder one may fail;
 * it must not take the folder, still empty, from under the other.
 */
const held = new Map<string, number>()

/** Is a request about to make something in this folder? */
export const isHeld = (folder: Stat): boolean => held.has(keyOf(folder))

export function openHeld(disk: Disk, base: number, path: string): Held {
  const { fd, stat } = openStrictly(disk, base, path, O.RDONLY | O.DIRECTORY)
  try {
    disk.volumes?.require(() => pathOfDescriptor(fd))
  } catch (error) {
    disk.kernel.close(fd)
    throw error
  }
  const key = keyOf(stat)
  held.set(key, (held.get(key) ?? 0) + 1)
  let isHeld = true
  const release = () => {
    const others = (held.get(key) ?? 0) - 1
    if (isHeld && others > 0) held.set(key, others)
    else if (isHeld) held.delete(key)
    isHeld = false
  }
  return {
    fd,
    release,
    close() {
      release()
      disk.kernel.close(fd)
    },
  }
}

/** Makes the missing folders, each inside the one opened before it; `undo` takes away those that it made. */
export async function makeParents(disk: Disk, base: number, path: string): Promise<{ held: Held; undo: () => void }> {
  const { kernel, modes } = disk
  const made: string[] = []
  const undo = () => {
    for (const folder of made.reverse()) removeIfUnused(kernel, base, folder)
  }
  let at = openHeld(disk, base, '/')
  try {
    let soFar = '/'
    for (const name of path.slice(1).split('/')) {
      soFar = join(soFar, name)
      const open = () => openHeld(disk, at.fd, `/${name}`)
      if (disk.ownFiles.reserves(name, () => kernel.statOpen(at.fd))) throw reservedName()
      const there = tolerating(['ENOENT'], open)
      // Where another request was quicker, the folder is not taken away again.
      if (there === undefined && succeeds(['EEXIST'], () => kernel.makeFolder(at.fd, name, modes().folder))) {
        made.push(soFar)
        disk.keeping?.made({ folder: at.fd, name })
        await sync(kernel, at.fd)
      }
      const next = there ?? open()
      at.close()
      at = next
    }
    return { held: at, undo }
  } catch (error) {
    at.close()
    undo()
    throw error
  }
}

function removeIfUnused(kernel: Kernel, base: number, path: string): void {
  try {
    const parent = kernel.openBeneath(base, parentOf(path).slice(1) || '.', O.PATH | O.DIRECTORY)
    try {
      const name = nameOf(path)
      if (!held.has(keyOf(kernel.stat(parent, name)))) dropFolder(kernel, { folder: parent, name })
    } finally {
      kernel.close(parent)
    }
  } catch {
    // It has been filled by now, or the disk refuses everything; the failure that led here says more than this one.
  }
}

const keyOf = ({ device, inode }: Stat): string => `${device}:${inode}`
