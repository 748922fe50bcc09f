import { join, posix } from 'node:path'
import { nameOf } from '@filestead/contract'
import { inFolder, parentOf, parsePath, type VirtualPath } from '../storage/path.ts'
import type { Storage } from '../storage/port.ts'

/** Where a path of an account's scope lies on this machine: for hooks, which are programs of the administrator. */
export const realPathsBelow =
  (root: string, storageAt: (scope: string) => Pick<Storage, 'resolve'>) =>
  async (scope: string, path: VirtualPath): Promise<string> => {
    const base = await storageAt('/').resolve(parsePath(posix.join('/', scope)))
    return join(root, base, await nameIn(storageAt(scope), path))
  }

/** Where a name lies that may itself be a symlink: only symlinks in its parent are followed. */
const nameIn = async (storage: Pick<Storage, 'resolve'>, path: VirtualPath): Promise<VirtualPath> =>
  path === '/' ? path : inFolder(await storage.resolve(parentOf(path)), nameOf(path))
