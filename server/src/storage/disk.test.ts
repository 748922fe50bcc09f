import { afterAll } from 'bun:test'
import { describeStorage } from './conformance.ts'
import { makeDisk, onDisk, removeFolders } from './disk.fixture.ts'
import { Errno } from './errno.ts'
import { type Kernel, linuxKernel } from './kernel.ts'

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
for (const [name, kernel] of Object.entries(kernels)) describeStorage(name, () => onDisk(makeDisk({ kernel })))
