import { read, readlinkSync, readSync } from 'node:fs'
import { promisify } from 'node:util'
import { bytesOf, textOf } from '../exact-names.ts'
import { unless } from '../linux/errno.ts'
import { type FolderItem, O, type Stat } from '../linux/kernel.ts'
import { type Content, type Entry, type EntryKind, headLength, type OpenFile } from '../port.ts'
import type { Disk, Ours } from './disk.ts'
import { isHidden } from './trees.ts'

/** By the highest four bits of the mode. */
const kinds = new Map<number, EntryKind>([
  [0o01, 'pipe'],
  [0o04, 'folder'],
  [0o10, 'file'],
  [0o12, 'link'],
  [0o14, 'socket'],
])

export const kindOf = (mode: number): EntryKind => kinds.get(mode >> 12) ?? 'device'

export const entryOf = (name: string, stat: Stat): Entry => ({
  name,
  kind: kindOf(stat.mode),
  isLink: stat.mode >> 12 === 0o12,
  size: stat.size,
  mode: stat.mode & 0o7777,
  seconds: stat.seconds,
  nanoseconds: stat.nanoseconds,
  inode: stat.inode,
  device: stat.device,
  links: stat.links,
})

function shownItem({ name, bytes, stat }: FolderItem): Entry {
  const exact = bytes && textOf(bytes)
  return exact === undefined || exact === name ? entryOf(name, stat) : { ...entryOf(name, stat), exact }
}

const shared = new WeakMap<Ours['edition'], WeakMap<readonly FolderItem[], Entry[]>>()

/** The entries among the items of a folder; the same items give the same entries. */
export function entriesAmong(
  ours: Ours,
  items: readonly FolderItem[],
  isReserved?: (name: string) => boolean,
): Entry[] {
  if (isReserved !== undefined) return entriesAmong(ours, items).filter(({ name }) => !isReserved(name))
  const known = shared.get(ours.edition) ?? new WeakMap<readonly FolderItem[], Entry[]>()
  shared.set(ours.edition, known)
  let entries = known.get(items)
  if (entries === undefined) {
    entries = items.filter((item) => !isHidden(item) && !ours.is(item.stat)).map(shownItem)
    known.set(items, entries)
  }
  return entries
}

/** An open descriptor as a file of the storage. */
export function openFile(
  fd: number,
  entry: Entry,
  close: () => void,
  {
    head,
    // Through the descriptor, not the name: these are the bytes of the file that was opened and checked.
    content = Bun.file(`/proc/self/fd/${fd}`),
  }: { head?: Uint8Array | undefined; content?: Content | undefined } = {},
): OpenFile {
  let isOpen = true
  return {
    entry,
    content,
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
  content: new Blob([bytes]),
  head: async () => bytes.subarray(0, headLength),
  close() {},
})

/** All of an open file. Nothing where that cannot be read, or where it is not as long as was said. */
export function contentOf(fd: number, size: number): Uint8Array<ArrayBuffer> | undefined {
  const bytes = new Uint8Array(size)
  try {
    return readSync(fd, bytes, 0, size, 0) === size ? bytes : undefined
  } catch {
    return undefined
  }
}

export function readPart(fd: number, start: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  return bytes.subarray(0, readSync(fd, bytes, 0, length, start))
}

/** The first bytes of a file in an open folder; none where it cannot be read. */
export function peekInto({ kernel, ours }: Disk, folder: number, name: string): Uint8Array {
  const fd = unless(['EACCES', 'EPERM', 'ENOENT', 'ELOOP', 'ENXIO', 'ENODEV', 'EAGAIN', 'ENAMETOOLONG'], () =>
    kernel.open(folder, name, O.RDONLY | O.NOFOLLOW | O.NONBLOCK),
  )
  if (fd === undefined) return new Uint8Array()
  try {
    if (ours.is(kernel.statOpen(fd))) return new Uint8Array()
    return unless(['EISDIR', 'EAGAIN', 'EINVAL', 'EIO'], () => readHead(fd)) ?? new Uint8Array()
  } finally {
    kernel.close(fd)
  }
}

/** What a link says; nothing where there is none. */
export function linkAt(path: string): string | undefined {
  // EINVAL is "not a link". What is missing or not ours to look at is judged by whoever opens it.
  return unless(['EINVAL', 'ENOENT', 'ENOTDIR', 'EACCES', 'ENAMETOOLONG'], () =>
    readlinkSync(path.isWellFormed() ? path : Buffer.from(bytesOf(path))),
  )
}

const headBuffer = new Uint8Array(headLength)

const readAt = promisify(read)

async function headOf(fd: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(headLength)
  const { bytesRead } = await readAt(fd, buffer, 0, headLength, 0)
  return buffer.subarray(0, bytesRead)
}

const readHead = (fd: number): Uint8Array => headBuffer.slice(0, readSync(fd, headBuffer, 0, headLength, 0))
