import { readSync } from 'node:fs'
import { codeOf } from '../linux/errno.ts'
import { O, type Stat } from '../linux/kernel.ts'
import { isFile } from '../linux/modes.ts'
import type { Disk } from './disk.ts'
import { type DiskEntry, entryOf } from './entry.ts'
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
  readonly memory: Uint8Array<ArrayBuffer>
  readonly used: number
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
    const entry = isReserved?.(name) ? undefined : readOne(disk, folder.fd, name, { memory, used })
    // What does not fit behind others is asked for again.
    if (entry === 'larger' && used > 0) break
    if (typeof entry === 'object') used += entry.size
    entries.push(entry === 'larger' ? undefined : entry)
    if (performance.now() > end) break
  }
  return { entries, bytes: memory.subarray(0, used) }
}

/** The reason of a refusal is told when the file is opened by itself. */
function readOne(disk: Disk, folder: number, name: string, room: Room): DiskEntry | 'larger' | undefined {
  try {
    return readAt(disk, folder, name, room)
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return undefined
  }
}

function readAt(
  { kernel, ownFiles }: Disk,
  folder: number,
  name: string,
  room: Room,
): DiskEntry | 'larger' | undefined {
  const { memory, used } = room
  // Before it is opened: to close the database would drop the locks that are held on it, and to open a pipe has effects.
  const seen = kernel.look(folder, name)
  if (seen === undefined || !isFile(seen.mode) || ownFiles.is(seen)) return undefined
  if (seen.size > memory.length - used) return 'larger'
  const fd = kernel.open(folder, name, O.RDONLY | O.NOFOLLOW | O.NONBLOCK)
  try {
    const stat = kernel.statOpen(fd)
    const isToWaitFor = () => isHalfWritten(stat) || isBeingOverwritten(fd, stat)
    if (!isFile(stat.mode) || ownFiles.is(stat) || isToWaitFor()) return undefined
    if (stat.size > memory.length - used) return 'larger'
    const isWhole = stat.size === 0 || readSync(fd, memory, used, stat.size, 0) === stat.size
    return isWhole && !isToWaitFor() ? entryOf(name, stat) : undefined
  } finally {
    kernel.close(fd)
  }
}
