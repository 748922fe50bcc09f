import type { Identity, Kernel } from '../linux/kernel.ts'
import type { NameAt } from './target.ts'

/**
 * Tells a file or folder from all others, also after a crash. Many file systems give its number to the next one as soon as it
 * is gone; the time of birth tells them apart.
 */
export interface BornIdentity extends Identity {
  /** Empty where the file system keeps none. */
  readonly born?: string | undefined
}

interface Noted {
  readonly device: number | null
  readonly inode: number | null
  readonly born?: string | null | undefined
}

export function bornIdentityAt(kernel: Kernel, { folder, name }: NameAt): BornIdentity | undefined {
  const stat = kernel.look(folder, name)
  return stat && { device: stat.device, inode: stat.inode, born: kernel.bornAt(folder, name) }
}

/** Devices are numbered anew at every start of a machine, so the time of birth says more, where there is one. */
export function isSameBorn(found: BornIdentity | undefined, noted: Noted): boolean {
  if (found === undefined || found.inode !== noted.inode) return false
  return found.born && noted.born ? found.born === noted.born : found.device === noted.device
}
