import { readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { codeOf } from '../linux/errno.ts'
import { O, type Stat } from '../linux/kernel.ts'
import { isFile } from '../linux/modes.ts'
import type { Disk } from './disk.ts'
import { type DiskEntry, type DiskFacts, entryOf } from './entry.ts'
import { isHalfWritten } from './half-written.ts'
import { isBeingOverwritten } from './write-lock.ts'

/** Files of a folder in the order of the names that were asked for, and their bytes, one behind the other. */
export interface FilesOnDisk {
  /** Undefined for what has to be opened by itself. */
  readonly entries: readonly (DiskEntry | undefined)[]
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** In milliseconds: a thread that says nothing for longer is taken for one that sleeps. */
const aMoment = 8

/** Where to read a file to. */
interface Room {
  readonly memory: Uint8Array
  readonly start: number
  /** So long the file may be. */
  readonly most: number
  /** It must not have changed since. */
  readonly place?: Place
}

/**
 * The first of these files, as many as fit into `room` bytes and can be read in a moment, but one at least. The folder is
 * opened and checked once for all of them, which takes longer than to read a small file.
 */
export function readWholeFiles(
  disk: Disk,
  folder: { readonly fd: number; readonly stat: Stat },
  names: readonly string[],
  room: number,
): FilesOnDisk {
  const memory = new Uint8Array(room)
  const entries: (DiskEntry | undefined)[] = []
  const isReserved = disk.ownFiles.namesIn(folder.stat)
  const end = performance.now() + aMoment
  let used = 0
  for (const name of names) {
    const room: Room = { memory, start: used, most: memory.length - used }
    const stat = isReserved?.(name) ? undefined : readOne(disk, folder.fd, name, room)
    // What does not fit behind others is asked for again.
    if (stat === 'larger' && used > 0) break
    if (typeof stat === 'object') used += stat.size
    entries.push(typeof stat === 'object' ? entryOf(name, stat) : undefined)
    if (performance.now() > end) break
  }
  return { entries, bytes: memory.subarray(0, used) }
}

/** Where a file is wanted, and how it was when it was looked at. */
export interface Place extends Pick<DiskFacts, 'size' | 'seconds' | 'nanoseconds' | 'inode' | 'device'> {
  readonly name: string
  readonly start: number
}

/**
 * The CRC-32 of the first of these files, each read to its place: as many as can be read in a moment, but one at least.
 * Undefined for what has to be opened by itself.
 */
export function readFilesInPlaces(
  disk: Disk,
  folder: { readonly fd: number; readonly stat: Stat },
  places: Iterable<Place>,
  memory: Uint8Array,
): (number | undefined)[] {
  const checksums: (number | undefined)[] = []
  const isReserved = disk.ownFiles.namesIn(folder.stat)
  const end = performance.now() + aMoment
  for (const place of places) {
    const { name, start, size } = place
    const read = isReserved?.(name) ? undefined : readOne(disk, folder.fd, name, { memory, start, most: size, place })
    // Now, because the bytes are in the cache of this processor.
    checksums.push(typeof read === 'object' ? crc32(memory.subarray(start, start + size)) : undefined)
    if (performance.now() > end) break
  }
  return checksums
}

/** The reason of a refusal is told when the file is opened by itself. */
function readOne(disk: Disk, folder: number, name: string, room: Room): Stat | 'larger' | undefined {
  try {
    return readAt(disk, folder, name, room)
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return undefined
  }
}

function readAt({ kernel, ownFiles }: Disk, folder: number, name: string, room: Room): Stat | 'larger' | undefined {
  const { memory, start, most, place } = room
  // Before it is opened: to close the database would drop the locks that are held on it, and to open a pipe has effects.
  const seen = kernel.look(folder, name)
  if (seen === undefined || !isFile(seen.mode) || ownFiles.is(seen)) return undefined
  if (seen.size > most) return 'larger'
  const fd = kernel.open(folder, name, O.RDONLY | O.NOFOLLOW | O.NONBLOCK)
  try {
    const stat = kernel.statOpen(fd)
    const isToWaitFor = () => isHalfWritten(stat) || isBeingOverwritten(fd, stat)
    if (!isFile(stat.mode) || ownFiles.is(stat) || isToWaitFor()) return undefined
    if (stat.size > most) return 'larger'
    if (place !== undefined && !isAsBefore(stat, place)) return undefined
    const isWhole = stat.size === 0 || readSync(fd, memory, start, stat.size, 0) === stat.size
    return isWhole && !isToWaitFor() ? stat : undefined
  } finally {
    kernel.close(fd)
  }
}

const isAsBefore = (stat: Stat, { size, seconds, nanoseconds, inode, device }: Place): boolean =>
  stat.size === size &&
  stat.seconds === seconds &&
  stat.nanoseconds === nanoseconds &&
  stat.inode === inode &&
  stat.device === device
