import { linuxKernel } from '../linux/kernel.ts'
import type { Disk } from './disk.ts'
import { foldsCaseBelow } from './folding.ts'
import { guarded } from './guarded.ts'
import { findOwnFiles, type OwnPaths } from './own-files.ts'
import { type DiskScopes, diskScopes } from './scopes.ts'

interface Root extends Pick<Disk, 'follows' | 'isFurtherMount'> {
  readonly folder: string
}

/** Folders of this machine without worker threads, for a command that does one thing and ends. */
export const diskRoots =
  (shared: Pick<Disk, 'ledger' | 'moves' | 'modes' | 'spool'> & { own: OwnPaths }) =>
  ({ folder, follows, isFurtherMount }: Root): DiskScopes => {
    const kernel = linuxKernel({ follows })
    const ownFiles = findOwnFiles(kernel, shared.own)
    const disk: Disk = {
      ...shared,
      kernel: guarded(kernel, ownFiles),
      storeKernel: kernel,
      ownFiles,
      follows,
      isFurtherMount,
      foldsCase: foldsCaseBelow(folder),
    }
    return diskScopes(disk, folder)
  }
