import { type Pointer, ptr } from 'bun:ffi'
import type { NameList } from '../../entries/name-list.ts'
import { Errno } from './errno.ts'
import type { FolderItem, LookedAt, NamedItem, NameTest, Stat } from './kernel.ts'
import { AT, check, lastErrno, libc, SYS } from './libc.ts'
import { listingCache } from './listing-cache.ts'
import { deviceNumber } from './mount-table.ts'

// Shared by all calls, like the buffers for names. The first place serves single files, all of them small folders.
const placeSize = 256
const places = 1000
const statBytes = new Uint8Array(new ArrayBuffer(placeSize * places))
const statView = new DataView(statBytes.buffer)
const statWords = new Uint32Array(statBytes.buffer)
const statAt = ptr(statBytes)
const folderBuffer = Buffer.from(new ArrayBuffer(64 * 1024))
const folderAt = ptr(folderBuffer)
const folderView = new DataView(folderBuffer.buffer)

const basicStats = 0x7ff
const birth = 0x800
const itemFlags = AT.SYMLINK_NOFOLLOW | AT.NO_AUTOMOUNT

export function statx(folder: number, name: Pointer, flags: number): Stat {
  check('statx', libc.syscall(SYS.statx, folder, name, flags, basicStats, statAt))
  return readStat()
}

/** The time of birth in nanoseconds; empty where the file system keeps none. Without a name, that of an open file. */
export function bornAt(fd: number, name: Pointer): string {
  check('statx', libc.syscall(SYS.statx, fd, name, AT.EMPTY_PATH | AT.SYMLINK_NOFOLLOW, birth, statAt))
  if ((statView.getUint32(0, true) & birth) === 0) return ''
  return String(statView.getBigInt64(80, true) * 1_000_000_000n + BigInt(statView.getUint32(88, true)))
}

/** To throw an error that is caught at once costs more than the look. */
export function statxIfThere(folder: number, name: Pointer, flags: number): Stat | undefined {
  if (libc.syscall(SYS.statx, folder, name, flags, basicStats, statAt) === 0) return readStat()
  const code = lastErrno()
  if (code === 'ENOENT') return undefined
  throw new Errno(code, 'statx')
}

let filled = 0

/** The system leaves gaps between names as they are. Of an earlier folder there must be nothing in them: readings are compared. */
function fillBuffer(fd: number): number {
  folderBuffer.fill(0, 0, filled)
  filled = check('getdents64', libc.syscall(SYS.getdents64, fd, folderAt, folderBuffer.length, 0, 0))
  return filled
}

/** One read of an open folder, as much as fits into the buffer. */
export function readFolder(fd: number, isOnce = false): readonly FolderItem[] | null {
  const length = fillBuffer(fd)
  if (length === 0) return null
  return (isOnce ? undefined : itemsAsBefore(fd, length)) ?? itemsIn(fd, length)
}

export function readFolderUpTo(fd: number, most: number): readonly FolderItem[] | 'too-many' | null {
  const length = fillBuffer(fd)
  if (length === 0) return null
  return hasAtMost(most, length) ? (itemsAsBefore(fd, length) ?? itemsIn(fd, length)) : 'too-many'
}

/** In bytes: some 7000 entries. */
const smallFolders = listingCache<readonly FolderItem[]>(2 << 20)

/**
 * Small folders are read again and again, mostly unchanged. Every name and every file is looked at each time; but where
 * all facts are those of an earlier reading, its items serve again, and so does what others made of them.
 */
function itemsAsBefore(fd: number, length: number): readonly FolderItem[] | undefined {
  if (!hasAtMost(places, length)) return undefined
  let count = 0
  for (let at = 0; at < length; at += folderView.getUint16(at + 16, true)) {
    if (isDots(at + 19)) continue
    const place = (statAt + count * placeSize) as Pointer
    if (libc.syscall(SYS.statx, fd, (folderAt + at + 19) as Pointer, itemFlags, basicStats, place) !== 0)
      return undefined
    // Reading a file changes when it was last read, and nothing that we tell.
    statWords.fill(0, count * 64 + 16, count * 64 + 20)
    count += 1
  }
  const [names, stats] = [folderBuffer.subarray(0, length), statBytes.subarray(0, count * placeSize)]
  return smallFolders.itemsOf(names, stats, () => {
    const items: FolderItem[] = []
    for (let at = 0; at < length; at += folderView.getUint16(at + 16, true))
      if (!isDots(at + 19)) items.push(itemAt(at, readStat(items.length * placeSize)))
    return items
  })
}

/** Counted before anything is looked at: the items of a larger folder would be looked at twice. */
function hasAtMost(most: number, length: number): boolean {
  let count = 0
  for (let at = 0; at < length; at += folderView.getUint16(at + 16, true)) {
    if (!isDots(at + 19)) count += 1
    if (count > most) return false
  }
  return true
}

/** The same with no look at what is named, unless the file system does not tell kinds. */
export function readNames(fd: number): NamedItem[] | null {
  const length = fillBuffer(fd)
  return length === 0 ? null : namesIn(fd, length)
}

export function readNamesInto(fd: number, names: NameList, { isSuspect, isShown }: NameTest): boolean {
  const length = fillBuffer(fd)
  for (let at = 0; at < length; at += folderView.getUint16(at + 16, true)) {
    const start = at + 19
    if (isDots(start)) continue
    let type = folderBuffer[at + 18] as number
    const first = folderBuffer[start] as number
    if (type === 0 || first === 46 || first > 127 || isSuspect(inodeAt(at))) {
      const item = namedItemAt(fd, at)
      if (item === undefined || !isShown(item)) continue
      type = item.mode >> 12
    }
    names.add(type, folderBuffer, start)
  }
  return length > 0
}

const looked: LookedAt = { start: 0, end: 0, type: 0, stat: undefined }
const lookedStat = emptyStat()

export function lookAtNames(fd: number, names: Uint8Array<ArrayBuffer>, take: (looked: LookedAt) => void): void {
  const namesAt = ptr(names)
  for (let start = 1; start < names.length; start = looked.end + 2) {
    looked.type = names[start - 1] as number
    looked.start = start
    looked.end = start
    while (names[looked.end] !== 0) looked.end += 1
    const result = libc.syscall(SYS.statx, fd, (namesAt + start) as Pointer, itemFlags, basicStats, statAt)
    if (result !== 0 && lastErrno() === 'ENOENT') continue
    looked.stat = result === 0 ? fillStat(lookedStat) : undefined
    take(looked)
  }
}

function itemsIn(fd: number, length: number): FolderItem[] {
  const items: FolderItem[] = []
  for (let at = 0; at < length; at += folderView.getUint16(at + 16, true)) {
    if (isDots(at + 19)) continue
    const stat = statOfItem(fd, at)
    if (stat !== undefined) items.push(itemAt(at, stat))
  }
  return items
}

function namesIn(fd: number, length: number): NamedItem[] {
  const items: NamedItem[] = []
  for (let at = 0; at < length; at += folderView.getUint16(at + 16, true)) {
    if (isDots(at + 19)) continue
    const item = namedItemAt(fd, at)
    if (item !== undefined) items.push(item)
  }
  return items
}

function namedItemAt(fd: number, at: number): NamedItem | undefined {
  const mode = (folderBuffer[at + 18] ?? 0) * 0o10000 || statOfItem(fd, at)?.mode
  if (mode === undefined) return undefined
  const end = endOfName(at + 19)
  const name = folderBuffer.toString('utf8', at + 19, end)
  return { name, bytes: bytesOfName(name, at + 19, end), mode, inode: inodeAt(at) }
}

/** The folder itself and the one above. */
const isDots = (start: number): boolean =>
  folderBuffer[start] === 46 &&
  (folderBuffer[start + 1] === 0 || (folderBuffer[start + 1] === 46 && folderBuffer[start + 2] === 0))

function itemAt(at: number, stat: Stat): FolderItem {
  const end = endOfName(at + 19)
  const name = folderBuffer.toString('utf8', at + 19, end)
  return { name, bytes: bytesOfName(name, at + 19, end), stat }
}

function endOfName(start: number): number {
  let end = start
  while (folderBuffer[end] !== 0) end += 1
  return end
}

const bytesOfName = (name: string, start: number, end: number): NamedItem['bytes'] =>
  name.includes('\ufffd') ? Uint8Array.from(folderBuffer.subarray(start, end)) : undefined

const inodeAt = (at: number): number => inodeOf(folderView.getUint32(at + 4, true), folderView.getUint32(at, true))

function statOfItem(fd: number, at: number): Stat | undefined {
  // Straight from the kernel's buffer: the name needs no copy, and bytes that are not UTF-8 stay what they are.
  const name = (folderAt + at + 19) as Pointer
  if (libc.syscall(SYS.statx, fd, name, itemFlags, basicStats, statAt) === 0) return readStat()
  // Gone since the folder was read.
  if (lastErrno() === 'ENOENT') return undefined
  // It is there, though we may not look at it (a folder without x) or cannot (a mount whose server is away). To leave
  // it out would make the folder look empty; the folder itself knows the kind.
  return { ...emptyStat(), mode: (folderBuffer[at + 18] ?? 0) * 0o10000, inode: inodeAt(at) }
}

const readStat = (place = 0): Stat => fillStat(emptyStat(), place)

function emptyStat(): Stat {
  return {
    mode: 0,
    size: 0,
    seconds: 0,
    nanoseconds: 0,
    inode: 0,
    device: 0,
    links: 1,
    uid: 0,
    gid: 0,
    changed: 0,
    attributes: 0,
  }
}

function fillStat(stat: Stat, place = 0): Stat {
  stat.mode = statView.getUint16(place + 28, true)
  stat.size = statView.getUint32(place + 44, true) * 4294967296 + statView.getUint32(place + 40, true)
  stat.seconds = statView.getInt32(place + 116, true) * 4294967296 + statView.getUint32(place + 112, true)
  stat.nanoseconds = statView.getUint32(place + 120, true)
  stat.inode = inodeOf(statView.getUint32(place + 36, true), statView.getUint32(place + 32, true))
  stat.device = deviceNumber(statView.getUint32(place + 136, true), statView.getUint32(place + 140, true))
  stat.links = statView.getUint32(place + 16, true)
  stat.uid = statView.getUint32(place + 20, true)
  stat.gid = statView.getUint32(place + 24, true)
  stat.changed =
    (statView.getInt32(place + 100, true) * 4294967296 + statView.getUint32(place + 96, true)) * 1000 +
    statView.getUint32(place + 104, true) / 1_000_000
  stat.attributes = statView.getUint32(place + 8, true)
  return stat
}

/**
 * Overlays and network file systems number files with all 64 bits. Rounded to a double, neighbours would look like one
 * file, and a move would take them for two names of it; so the highest bits are folded in instead of the lowest lost.
 */
function inodeOf(high: number, low: number): number {
  return (high < 0x200000 ? high : ((high & 0x1fffff) ^ (high >>> 21)) >>> 0) * 4294967296 + low
}
