import { realpathSync } from 'node:fs'
import { posix } from 'node:path'
import type { Ours } from './disk.ts'
import { unless } from './errno.ts'
import { type Kernel, O } from './kernel.ts'

/** By inode first, because that alone settles nearly every question; the devices that have such a one of ours. */
type Identities = Map<number, Set<number>>

/** Knows our own files by identity, so that no link, mount or other name leads to them. */
export function oursAmong(kernel: Kernel, paths: readonly string[]): Ours {
  const own: Identities = new Map()
  const holders: Identities = new Map()
  for (const path of paths) {
    const real = unless(['ENOENT'], () => realpathSync(path))
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
  }
}
