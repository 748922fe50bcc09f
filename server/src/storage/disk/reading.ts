import { readlinkSync, readSync } from 'node:fs'
import type { Entry } from '../entry.ts'
import { bytesOf } from '../exact-names.ts'
import { tolerating } from '../linux/errno.ts'
import { O } from '../linux/kernel.ts'
import { headLength, type OpenFile } from '../port.ts'
import type { Disk } from './disk.ts'

/** An open descriptor as a file of the storage. */
export function openFile(fd: number, entry: Entry, close: () => void): OpenFile {
  let isOpen = true
  return {
    entry,
    // Through the descriptor, not the name: these are the bytes of the file that was opened and checked.
    content: Bun.file(`/proc/self/fd/${fd}`),
    head: () => readHead(fd),
    close() {
      if (isOpen) close()
      isOpen = false
    },
  }
}

/** The first bytes of a file in an open folder; none where it cannot be read. */
export function readHeadOf({ kernel, ownFiles }: Disk, folder: number, name: string): Uint8Array {
  const fd = tolerating(['EACCES', 'EPERM', 'ENOENT', 'ELOOP', 'ENXIO', 'ENODEV', 'EAGAIN', 'ENAMETOOLONG'], () =>
    kernel.open(folder, name, O.RDONLY | O.NOFOLLOW | O.NONBLOCK),
  )
  if (fd === undefined) return new Uint8Array()
  try {
    if (ownFiles.is(kernel.statOpen(fd))) return new Uint8Array()
    return tolerating(['EISDIR', 'EAGAIN', 'EINVAL', 'EIO'], () => readHead(fd)) ?? new Uint8Array()
  } finally {
    kernel.close(fd)
  }
}

/** What a link says; nothing where there is none. */
export function linkAt(path: string): string | undefined {
  // EINVAL is "not a link". What is missing or closed is found when it is opened.
  return tolerating(['EINVAL', 'ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG'], () =>
    readlinkSync(path.isWellFormed() ? path : Buffer.from(bytesOf(path))),
  )
}

const headBuffer = new Uint8Array(headLength)

const readHead = (fd: number): Uint8Array => headBuffer.slice(0, readSync(fd, headBuffer, 0, headLength, 0))
