import { join, segmentsOf } from '@filestead/contract/paths'
import type { Cancellation } from '../../concurrency/cancellation.ts'
import { yieldToLoop } from '../../concurrency/time-slices.ts'
import { Failure } from '../../failure.ts'
import { replacementMark, textOf } from '../exact-names.ts'
import { Errno, tolerating } from '../linux/errno.ts'
import { type FolderItem, type NamedItem, O, type Stat } from '../linux/kernel.ts'
import { isFolder } from '../linux/modes.ts'
import { matcherOf, type NameFilter } from '../name-filter.ts'
import type { VirtualPath } from '../path.ts'
import type { Named } from '../port.ts'
import type { Disk } from './disk.ts'
import { DiskEntry, entryOf, kindOf } from './entry.ts'
import { openStrictly } from './opening.ts'
import type { OwnFiles } from './own-files.ts'
import { readHeadOf } from './reading.ts'
import { exactName, isHidden } from './trees.ts'

export interface OpenedFolder {
  readonly fd: number
  readonly stat: Stat
}

/** After so many names other work gets its turn. */
const slice = 200

interface ReadEntriesOptions {
  signal?: Cancellation | undefined
  isOnce?: boolean | undefined
  /** Of a larger folder at most so many are taken, and then it is given up. */
  most?: number | undefined
}

export type Take<T> = (part: readonly T[]) => void | Promise<void>

export async function readEntries(
  disk: Disk,
  { fd, stat }: OpenedFolder,
  take: Take<DiskEntry>,
  { signal, isOnce = false, most }: ReadEntriesOptions,
): Promise<'all' | 'too-many'> {
  const { kernel, ownFiles } = disk
  const isReserved = ownFiles.namesIn(stat)
  let count = 0
  const read = () => (most === undefined ? kernel.readFolder(fd, isOnce) : kernel.readFolderUpTo(fd, most - count))
  for (let items = read(); items !== null; items = read()) {
    if (items === 'too-many') return items
    count += items.length
    disk.orphans?.sawAmong(fd, items)
    const entries = isOnce ? shownAmong(ownFiles, items) : sharedAmong(ownFiles, items)
    const taking = take(isReserved === undefined ? entries : entries.filter(({ name }) => !isReserved(name)))
    if (taking !== undefined) await taking
    if (items.length < slice) continue
    await yieldToLoop()
    signal?.throwIfAborted()
  }
  return 'all'
}

/** The entries of names that were read before; those that are gone are left out. */
export async function describeNames(
  { kernel, ownFiles }: Disk,
  { fd, stat: folder }: OpenedFolder,
  named: readonly Named[],
  signal?: Cancellation,
): Promise<DiskEntry[]> {
  const entries: DiskEntry[] = []
  const isReserved = ownFiles.namesIn(folder)
  for (const [index, { name, exact, kind }] of named.entries()) {
    if (index % describedAtOnce === describedAtOnce - 1) {
      await yieldToLoop()
      signal?.throwIfAborted()
    }
    if (isHidden({ name }) || isReserved?.(name)) continue
    try {
      const stat = kernel.lookInFolder(fd, exact ?? name)
      if (stat !== undefined && !ownFiles.is(stat)) entries.push(entryOf(name, stat, exact))
    } catch (error) {
      if (!(error instanceof Errno)) throw error
      // It may not be looked at; as in the listing of a folder, it is there nevertheless.
      entries.push(new DiskEntry({ ...unknownFacts, name, exact, kind, isLink: kind === 'link' }))
    }
  }
  return entries
}

/** As many as one read of a folder has. */
const describedAtOnce = 1000

const unknownFacts = { size: 0, mode: 0, seconds: 0, nanoseconds: 0, inode: 0, device: 0 }

/** Names and kinds alone. */
export async function readNames(
  disk: Disk,
  { fd, stat }: OpenedFolder,
  take: Take<Named>,
  { signal, filter }: { signal?: Cancellation | undefined; filter?: NameFilter | undefined },
): Promise<void> {
  const { kernel, ownFiles } = disk
  const mayHoldOwn = ownFiles.holds(stat)
  const isReserved = ownFiles.namesIn(stat)
  const isWanted = filter && matcherOf(filter)
  const isShown = (item: NamedItem) =>
    (isWanted === undefined || isFolder(item.mode) || isWanted(item.name)) &&
    !isHidden(item) &&
    !((mayHoldOwn || ownFiles.hasInode(item.inode)) && isOwn(disk, fd, item)) &&
    !isReserved?.(item.name)
  for (let items = kernel.readNames(fd); items !== null; items = kernel.readNames(fd)) {
    disk.orphans?.sawAmong(fd, items)
    const named: Named[] = []
    for (const item of items) if (isShown(item)) named.push(namedOf(item))
    const taking = take(named)
    if (taking !== undefined) await taking
    if (items.length >= slice) await yieldToLoop()
    signal?.throwIfAborted()
  }
}

/** The first bytes of files in a folder, by name. */
export async function readHeads(
  disk: Disk,
  { fd, stat }: OpenedFolder,
  names: readonly string[],
  signal?: Cancellation,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const heads = new Map<string, Uint8Array>()
  const isReserved = disk.ownFiles.namesIn(stat)
  for (const [index, name] of names.entries()) {
    heads.set(name, isReserved?.(name) ? new Uint8Array() : readHeadOf(disk, fd, name))
    if (index % slice !== slice - 1) continue
    await yieldToLoop()
    signal?.throwIfAborted()
  }
  return heads
}

/** The path with the exact names of what is shown with replacement marks. */
export async function exactPath(disk: Disk, base: number, path: VirtualPath): Promise<VirtualPath> {
  let at = '/'
  for (const name of segmentsOf(path))
    at = join(at, name.includes(replacementMark) ? exactNameIn(disk, base, at, name) : name)
  return at as VirtualPath
}

/** The name itself where it is there, or else the only one that is shown like it. */
function exactNameIn(disk: Disk, base: number, folder: string, name: string): string {
  const { kernel } = disk
  const opened = tolerating(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'ENAMETOOLONG'], () =>
    openStrictly(disk, base, folder, O.RDONLY | O.DIRECTORY),
  )
  if (opened === undefined) return name
  try {
    if (kernel.look(opened.fd, name) !== undefined) return name
    const alike: string[] = []
    for (let items = kernel.readNames(opened.fd); items !== null; items = kernel.readNames(opened.fd))
      for (const item of items) if (item.bytes && item.name === name) alike.push(textOf(item.bytes))
    if (alike.length > 1) throw new Failure('invalid', 'several names look like this one')
    return alike[0] ?? name
  } finally {
    kernel.close(opened.fd)
  }
}

function shownItem({ name, bytes, stat }: FolderItem): DiskEntry {
  const exact = bytes && textOf(bytes)
  return entryOf(name, stat, exact === name ? undefined : exact)
}

const shared = new WeakMap<OwnFiles['edition'], WeakMap<readonly FolderItem[], DiskEntry[]>>()

/** The entries among the items of a folder; the same items give the same entries. */
function sharedAmong(ownFiles: OwnFiles, items: readonly FolderItem[]): DiskEntry[] {
  const known = shared.get(ownFiles.edition) ?? new WeakMap<readonly FolderItem[], DiskEntry[]>()
  shared.set(ownFiles.edition, known)
  let entries = known.get(items)
  if (entries === undefined) {
    entries = shownAmong(ownFiles, items)
    known.set(items, entries)
  }
  return entries
}

function shownAmong(ownFiles: OwnFiles, items: readonly FolderItem[]): DiskEntry[] {
  const entries: DiskEntry[] = []
  for (const item of items) if (!isHidden(item) && !ownFiles.is(item.stat)) entries.push(shownItem(item))
  return entries
}

function namedOf({ name, bytes, mode }: NamedItem): Named {
  const kind = kindOf(mode)
  const exact = bytes && textOf(bytes)
  return exact ? { name, exact, kind } : { name, kind }
}

/** The exact answer, at the price of one look at the disk. */
export function isOwn({ kernel, ownFiles }: Disk, folder: number, item: NamedItem): boolean {
  const stat = tolerating(['ENOENT', 'EACCES'], () => kernel.stat(folder, exactName(item)))
  return stat !== undefined && ownFiles.is(stat)
}
