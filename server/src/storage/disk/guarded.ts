import { type Kernel, type Name, O } from '../linux/kernel.ts'
import { isStoreName } from '../store-names.ts'
import type { OwnFiles } from './own-files.ts'
import { reservedName } from './target.ts'

/**
 * The last word on reserved names, in the very step that would make one or take one away: between a look at a tree and
 * its move others may have put something into it.
 */
export function guarded(kernel: Kernel, ownFiles: OwnFiles): Kernel {
  const requireFree = (folder: number, name: Name): void => {
    if (folder >= 0 && ownFiles.reserves(name, () => kernel.statOpen(folder))) throw reservedName()
  }
  /** Stores go where their folder goes, and end with it; by their own name they are neither made nor moved. */
  const requireNoStore = (name: Name): void => {
    if (typeof name === 'string' && isStoreName(name)) throw reservedName()
  }
  const requireBoth = (from: number, name: Name, to: number, newName: Name): void => {
    requireFree(from, name)
    requireFree(to, newName)
    requireNoStore(name)
    requireNoStore(newName)
  }
  return {
    ...kernel,
    open(folder, name, flags, mode) {
      if ((flags & O.CREAT) !== 0) {
        requireFree(folder, name)
        requireNoStore(name)
      }
      return kernel.open(folder, name, flags, mode)
    },
    makeFolder(folder, name, mode) {
      requireFree(folder, name)
      requireNoStore(name)
      kernel.makeFolder(folder, name, mode)
    },
    unlink(folder, name) {
      requireFree(folder, name)
      kernel.unlink(folder, name)
    },
    removeFolder(folder, name) {
      requireFree(folder, name)
      kernel.removeFolder(folder, name)
    },
    rename(from, name, to, newName) {
      requireBoth(from, name, to, newName)
      kernel.rename(from, name, to, newName)
    },
    renameToFree(from, name, to, newName) {
      requireBoth(from, name, to, newName)
      kernel.renameToFree(from, name, to, newName)
    },
    link(from, name, to, newName) {
      requireBoth(from, name, to, newName)
      kernel.link(from, name, to, newName)
    },
    makeLink(target, folder, name) {
      requireFree(folder, name)
      requireNoStore(name)
      kernel.makeLink(target, folder, name)
    },
  }
}
