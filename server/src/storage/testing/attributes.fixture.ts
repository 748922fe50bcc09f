import { ptr } from 'bun:ffi'
import { linuxKernel, O } from '../linux/kernel.ts'
import { libc, text } from '../linux/libc.ts'

/** False where the file system has no extended attributes. */
export const setAttribute = (path: string, name: string, value: string | Uint8Array): boolean =>
  withOpen(path, (fd) => {
    const bytes = Buffer.from(value as string)
    return libc.fsetxattr(fd, text(name), ptr(bytes), bytes.length, 0) === 0
  })

export const attributeOf = (path: string, name: string): string | undefined =>
  withOpen(path, (fd) => {
    const bytes = Buffer.alloc(1000)
    const size = Number(libc.fgetxattr(fd, text(name), ptr(bytes), bytes.length))
    return size < 0 ? undefined : bytes.toString('utf8', 0, size)
  })

function withOpen<T>(path: string, work: (fd: number) => T): T {
  const kernel = linuxKernel()
  const fd = kernel.open(-1, path, O.RDONLY)
  try {
    return work(fd)
  } finally {
    kernel.close(fd)
  }
}
