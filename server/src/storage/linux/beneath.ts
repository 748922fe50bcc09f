import { codeOf, Errno } from './errno.ts'
import type { Kernel } from './kernel.ts'
import { O, text } from './libc.ts'

type Steps = Pick<Kernel, 'open' | 'close' | 'stat'>

/** What openat2 does in one call, name by name: no step follows a link. Paths have no '..' (see `VirtualPath`). */
export function walk(kernel: Steps, folder: number, path: string, flags: number, mode: number): number {
  text(path) // Refuses what would be too long for one call.
  const names = path.split('/')
  const last = names.pop() ?? '.'
  let at = folder
  try {
    for (const name of names) {
      const next = step(kernel, at, name, O.PATH | O.DIRECTORY, 0)
      if (at !== folder) kernel.close(at)
      at = next
    }
    return step(kernel, at, last, flags, mode)
  } finally {
    if (at !== folder) kernel.close(at)
  }
}

function step(kernel: Steps, folder: number, name: string, flags: number, mode: number): number {
  try {
    return kernel.open(folder, name, flags | O.NOFOLLOW, mode)
  } catch (error) {
    // With O_DIRECTORY a link is "not a folder"; the caller wants to know that it was a link.
    throw codeOf(error) === 'ENOTDIR' && isLink(kernel, folder, name) ? new Errno('ELOOP', 'openat') : error
  }
}

function isLink(kernel: Steps, folder: number, name: string): boolean {
  try {
    return (kernel.stat(folder, name).mode & 0o170000) === 0o120000
  } catch {
    return false
  }
}
