import { afterAll } from 'bun:test'
import { Errno } from '../linux/errno.ts'
import { type Kernel, linuxKernel, type Name } from '../linux/kernel.ts'
import { describeStorage } from '../testing/conformance.ts'
import { makeDisk, onDisk, removeFolders } from '../testing/disk.fixture.ts'
import { keepingParts } from '../testing/keeping.fixture.ts'

afterAll(removeFolders)

const linux = linuxKernel()
const refuse = (code: string) => () => {
  throw new Errno(code, 'test')
}

const kernels: Record<string, Kernel> = {
  'on disk': linux,
  'on an old kernel': linuxKernel({ openat2: false }),
  'on a network file system': { ...linux, renameToFree: refuse('EINVAL') },
  'on one without hard links': { ...linux, renameToFree: refuse('ENOSYS'), link: refuse('EPERM') },
  // rclone: EIO to what it does not know, and a folder takes no name that is taken, not even that of an empty folder.
  'on a mount of rclone': {
    ...linux,
    renameToFree: refuse('EINVAL'),
    link: refuse('EIO'),
    copyAttributes: refuse('EIO'),
    rename(from, name, to, newName) {
      const isFolder = (folder: number, at: Name) => (linux.look(folder, at)?.mode ?? 0) >> 12 === 0o04
      if (isFolder(from, name) && isFolder(to, newName)) throw new Errno('EEXIST', 'test')
      linux.rename(from, name, to, newName)
    },
  },
}
for (const [name, kernel] of Object.entries(kernels))
  await describeStorage(name, async () => {
    const { stores, tell, effectsOf } = keepingParts()
    return { ...(await onDisk(makeDisk({ kernel, stores, tell }))), keeping: { base: '', effectsOf } }
  })
