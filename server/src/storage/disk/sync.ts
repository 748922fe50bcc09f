import { codeOf } from '../linux/errno.ts'
import type { FileCalls } from '../linux/file-calls.ts'

/** Waits until a file, or the names in a folder, are safe; where the file system promises nothing it is not asked to. */
export async function sync(calls: Pick<FileCalls, 'sync'>, fd: number): Promise<void> {
  try {
    await calls.sync(fd)
  } catch (error) {
    if (!['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(codeOf(error) ?? '')) throw error
  }
}
