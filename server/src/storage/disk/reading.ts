import { read, readlinkSync, readSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Entry } from '../entry.ts'
import { bytesOf } from '../exact-names.ts'
import { tolerating, translated } from '../linux/errno.ts'
import { type Name, O } from '../linux/kernel.ts'
import { type Content, headLength, type OpenFile } from '../port.ts'
import { digestOf } from './digest.ts'
import type { Disk } from './disk.ts'

/** An open descriptor as a file of the storage. */
export function openFile(
  fd: number,
  entry: Entry,
  close: () => void,
  { head, content }: { head?: Uint8Array | undefined; content?: Content | undefined } = {},
): OpenFile {
  let isOpen = true
  return {
    entry,
    // Through the descriptor, not the name: these are the bytes of the file that was opened and checked.
    content: content ?? Bun.file(`/proc/self/fd/${fd}`),
    // Content of another kind has a reader of its own, because this one would wait in the runtime's pool.
    readInto: content === undefined ? (memory, start) => translated(() => fill(fd, memory, start)) : undefined,
    digest:
      content === undefined
        ? (algorithm, signal, progress) => translated(() => digestOf(fd, algorithm, signal, progress))
        : undefined,
    head: async () => head ?? headOf(fd),
    close() {
      if (isOpen) close()
      isOpen = false
    },
  }
}

/** A file whose content was read when it was opened, and which has been closed since. */
export const fileInMemory = (bytes: Uint8Array<ArrayBuffer>, entry: Entry): OpenFile => ({
  entry,
  bytes,
  // Made when asked for: it is a copy.
  get content() {
    return new Blob([bytes])
  },
  head: async () => bytes.subarray(0, headLength),
  close() {},
})

/**
 * The same in memory that is used for other files later. Bytes for a caller of any kind are a copy, which frees the memory
 * at once; only what is `passing` comes without one.
 */
export function fileInPassing(memory: Uint8Array, entry: Entry, release: () => void): OpenFile {
  let isHeld = true
  let copy: Uint8Array<ArrayBuffer> | undefined
  const close = () => {
    if (isHeld) release()
    isHeld = false
  }
  const held = (): Uint8Array => {
    if (!isHeld) throw new Error('The file is closed')
    return memory
  }
  const copied = (): Uint8Array<ArrayBuffer> => {
    copy ??= new Uint8Array(held())
    close()
    return copy
  }
  return {
    entry,
    get bytes() {
      return copied()
    },
    passing: () => (isHeld ? memory : undefined),
    get content() {
      return new Blob([copied()])
    },
    head: async () => (copy ?? held()).slice(0, headLength),
    close,
  }
}

/** Fills the memory with the beginning of an open file. False where that cannot be read, or is shorter. */
export function readWhole(fd: number, memory: Uint8Array): boolean {
  try {
    return readSync(fd, memory, 0, memory.length, 0) === memory.length
  } catch {
    return false
  }
}

/** All of an open file. Nothing where that cannot be read, or where it is not as long as was said. */
export function contentOf(fd: number, size: number): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = readPart(fd, 0, size)
    return bytes.length === size ? bytes : undefined
  } catch {
    return undefined
  }
}

export function readPart(fd: number, start: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  return bytes.subarray(0, readSync(fd, bytes, 0, length, start))
}

/** The first bytes of a file in an open folder; none where it cannot be read. */
export function readHeadOf({ kernel, ownFiles }: Disk, folder: number, name: Name): Uint8Array {
  const fd = tolerating(['EACCES', 'EPERM', 'ENOENT', 'ELOOP', 'ENXIO', 'ENODEV', 'EAGAIN', 'ENAMETOOLONG'], () =>
    kernel.open(folder, name, O.RDONLY | O.NOFOLLOW | O.NONBLOCK),
  )
  if (fd === undefined) return new Uint8Array()
  try {
    if (ownFiles.is(kernel.statOpen(fd))) return new Uint8Array()
    return tolerating(['EISDIR', 'EAGAIN', 'EINVAL', 'EIO', 'ESPIPE'], () => readHead(fd)) ?? new Uint8Array()
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

const readAt = promisify(read)

async function fill(fd: number, memory: Uint8Array, start: number): Promise<number> {
  let length = 0
  while (length < memory.length) {
    const { bytesRead } = await readAt(fd, memory, length, memory.length - length, start + length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return length
}

async function headOf(fd: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(headLength)
  const { bytesRead } = await readAt(fd, buffer, 0, headLength, 0)
  return buffer.subarray(0, bytesRead)
}

const headBuffer = new Uint8Array(headLength)

const readHead = (fd: number): Uint8Array => headBuffer.slice(0, readSync(fd, headBuffer, 0, headLength, 0))
