import { codeOf } from '../linux/errno.ts'
import type { Kernel } from '../linux/kernel.ts'

/** Waits until a file, or the names in a folder, are safe; where the file system promises nothing it is not asked to. */
export async function sync(kernel: Kernel, fd: number): Promise<void> {
  try {
    await kernel.sync(fd)
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(codeOf(error) ?? '')) throw error
  }
}
