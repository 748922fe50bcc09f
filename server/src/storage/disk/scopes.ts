import { posix } from 'node:path'
import { isFailure } from '../../failure.ts'
import { translated } from '../linux/errno.ts'
import { O } from '../linux/kernel.ts'
import type { VirtualPath } from '../path.ts'
import { type Base, openThroughInnerLinks, rootAt } from './base.ts'
import type { Disk } from './disk.ts'
import type { DiskStorage } from './disk-storage.ts'
import { openStrictly } from './opening.ts'
import { storageAt } from './storage.ts'

/** A folder that `path` leads to until it is closed, whatever becomes of its names. */
export interface OpenFolder {
  readonly path: string
  close(): void
}

/** The folders of users below one root. */
export interface DiskScopes {
  /** The files of a user whose scope is this folder below the root. */
  storageAt(scope: string): DiskStorage
  openFolder(scope: string, folder: VirtualPath): Promise<OpenFolder>
  /** The same without a way to close it. */
  openFolderDescriptor(scope: string, folder: VirtualPath): Promise<number>
  /** Has the volume of the root been seen, and is gone? */
  isVolumeGone(): boolean
}

/** Only the root may be reached through any link. A scope begins beneath it, because users can rename what is there. */
export function diskScopes(disk: Disk, root: string): DiskScopes {
  const { kernel } = disk
  const whole = rootAt(disk, root)
  const baseOf = (scope: string): Base => {
    if (scope === '/') return whole
    const folder = posix.join('/', scope).replace(/(?<=.)\/$/, '')
    if (folder === '/') return whole
    const open = (toWrite?: boolean) => {
      const base = whole.open(toWrite)
      try {
        return openThroughInnerLinks(disk, base, folder)
      } finally {
        kernel.close(base)
      }
    }
    return { ...whole, folder, open }
  }
  const isVolumeGone = () => {
    try {
      kernel.close(whole.open(true))
      return false
    } catch (error) {
      return isFailure(error, 'unavailable')
    }
  }
  const openFolderDescriptor = (scope: string, folder: VirtualPath) =>
    translated(() => {
      const base = baseOf(scope).open(true)
      try {
        return openStrictly(disk, base, folder, O.PATH | O.DIRECTORY).fd
      } finally {
        kernel.close(base)
      }
    })
  // What is mounted at the start counts, also when no file is asked for before it goes.
  isVolumeGone()
  return {
    isVolumeGone,
    storageAt: (scope) => storageAt(disk, baseOf(scope)),
    openFolderDescriptor,
    openFolder: async (scope, folder) => {
      const fd = await openFolderDescriptor(scope, folder)
      return { path: `/proc/self/fd/${fd}`, close: () => kernel.close(fd) }
    },
  }
}
