import { realpathSync } from 'node:fs'
import { posix } from 'node:path'
import type { Ours } from './disk.ts'
import { unless } from './errno.ts'
import { type Kernel, O } from './kernel.ts'

/** By inode first, because that alone settles nearly every question; the devices that have such a one of ours. */
type Identities = Map<number, Set<number>>

/** What this process cannot reach, nobody reaches through it. */
const unreachable = ['ENOENT', 'ENOTDIR', 'EACCES']

/** Knows our own files by identity, so that no link, mount or other name leads to them. */
export function oursAmong(kernel: Kernel, paths: readonly string[]): Ours {
  const own: Identities = new Map()
  const holders: Identities = new Map()
  /** Also what is not there yet: a journal that somebody put beside the database would be taken for its own. */
  const reserved = new Map<string, Identities>()
  for (const path of paths) {
    const folder = unless(unreachable, () => realpathSync(posix.dirname(path)))
    // In any case: on some volumes they are one name.
    const name = posix.basename(path).toLowerCase()
    if (folder !== undefined) {
      const folders = reserved.get(name) ?? new Map()
      reserved.set(name, folders)
      remember(folders, folder)
    }
    const real = unless(unreachable, () => realpathSync(path))
    if (real === undefined) continue
    remember(own, real)
    for (let folder = real; folder !== '/'; ) {
      folder = posix.dirname(folder)
      remember(holders, folder)
    }
  }

  function remember(among: Identities, path: string): void {
    const fd = kernel.open(-1, path, O.PATH | O.NOFOLLOW)
    const { inode, device } = kernel.statOpen(fd)
    kernel.close(fd)
    among.set(inode, (among.get(inode) ?? new Set()).add(device))
  }

  return {
    is: ({ inode, device }) => own.get(inode)?.has(device) ?? false,
    hasInode: (inode) => own.has(inode),
    holds: ({ inode, device }) => holders.get(inode)?.has(device) ?? false,
    reserves(name, folderOf) {
      const folders = typeof name === 'string' ? reserved.get(name.toLowerCase()) : undefined
      if (folders === undefined) return false
      const { inode, device } = folderOf()
      return folders.get(inode)?.has(device) ?? false
    },
  }
}
