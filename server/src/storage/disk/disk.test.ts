import { afterAll } from 'bun:test'
import { Errno } from '../linux/errno.ts'
import { type Kernel, linuxKernel } from '../linux/kernel.ts'
import { describeStorage } from '../testing/conformance.ts'
import { makeDisk, onDisk, removeFolders } from '../testing/disk.fixture.ts'

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
}
for (const [name, kernel] of Object.entries(kernels)) await describeStorage(name, () => onDisk(makeDisk({ kernel })))
