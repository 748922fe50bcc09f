import type { Cancellation } from '../../concurrency/cancellation.ts'
import { Failure } from '../../failure.ts'
import { codeOf, tolerating } from '../linux/errno.ts'
import type { Identity, Kernel } from '../linux/kernel.ts'
import { isFile } from '../linux/modes.ts'
import { flushingEarly } from './flushing.ts'
import { keyOf } from './half-written.ts'
import { sync } from './sync.ts'

/** The target was half overwritten when something broke: the draft holds the only whole version and must stay. */
export class DraftNeeded extends Error {}

/** What goes wrong once, like a write that a network file system loses, mostly goes right the next time. */
const mostTries = 3

/** Makes sure that a draft can be written into `target`, and changes nothing that could be read there. */
export async function reserveSpace(kernel: Kernel, draft: number, target: number): Promise<void> {
  const { size } = kernel.statOpen(draft)
  if (!isFile(kernel.statOpen(target).mode)) throw new Failure('forbidden', 'This cannot be written')
  if (size === 0) return
  try {
    tolerating(['ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL'], () => kernel.reserve(target, size))
  } catch (error) {
    // Some file systems keep what they could get, beyond the end of the file, where it would never be found.
    await kernel.truncate(target, kernel.statOpen(target).size).catch(() => {})
    throw error
  }
}

/** Writes a finished draft over the bytes of `target`, for which space was claimed: a full disk changes nothing. */
export async function overwriteInPlace(kernel: Kernel, draft: number, target: number): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await overwriteOnce(kernel, draft, target)
    } catch (cause) {
      if (tries === mostTries) throw new DraftNeeded('The target is half written', { cause })
    }
  }
}

async function overwriteOnce(kernel: Kernel, draft: number, target: number): Promise<void> {
  const { size, seconds, nanoseconds } = kernel.statOpen(draft)
  await copyPieces(kernel, draft, target, { size })
  await kernel.truncate(target, size)
  try {
    kernel.setTimes(target, seconds, nanoseconds)
  } catch {
    // Only the owner of a file sets its time, and some file systems keep none.
  }
  await sync(kernel, target)
}

interface Pieces {
  /** What comes before is there already. */
  readonly start?: number
  readonly size: number
  readonly signal?: Cancellation | undefined
  /** The target is new and reads as zeros where nothing was written, as holes in the source do. */
  readonly keepsHoles?: boolean
  /** The kernel may copy by itself, and let new files share blocks with old ones. */
  readonly inKernel?: boolean
  /** Hears how far it has come. */
  readonly grown?: ((size: number) => void) | undefined
}

/** Piece by piece, so that it can be stopped and never holds more than one in memory. */
export async function copyPieces(kernel: Kernel, from: number, to: number, pieces: Pieces): Promise<void> {
  const { start: begun = 0, size, signal, keepsHoles = false, inKernel = false, grown } = pieces
  const flushing = flushingEarly(() => sync(kernel, to), begun)
  const copyPiece = pieceCopier(kernel, from, to, inKernel)
  try {
    for (let at = begun; at < size; ) {
      const { start, end } = keepsHoles ? dataFrom(kernel, from, at, size) : { start: at, end: size }
      for (at = start; at < end; ) {
        signal?.throwIfAborted()
        const length = await copyPiece(at, end - at)
        if (length === 0) return
        at += length
        flushing.grownTo(at)
        grown?.(at)
      }
    }
    // Behind the last byte that was written there may be a hole.
    if (keepsHoles) await kernel.truncate(to, size)
  } finally {
    await flushing.end()
  }
}

/** Without a way through this process a gigabyte takes a third of the processor's time less. */
const largestInKernel = 32 << 20
const largestInMemory = 1 << 20
/** Another file system, one that cannot, or a sandbox. */
const notInKernel = ['EXDEV', 'EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EACCES', 'ETXTBSY', 'EBADF']

/** Copies the bytes at a place, not more than so many, and tells how many; none where the file ends. */
function pieceCopier(kernel: Kernel, from: number, to: number, inKernel: boolean) {
  let isInKernel = inKernel
  let memory = new Uint8Array(0)

  async function inside(at: number, most: number): Promise<number> {
    try {
      return await kernel.copyRange(from, to, at, Math.min(most, largestInKernel))
    } catch (error) {
      if (!notInKernel.includes(codeOf(error) ?? '')) throw error
      return 0
    }
  }

  return async (at: number, most: number): Promise<number> => {
    const copied = isInKernel ? await inside(at, most) : 0
    if (copied > 0) return copied
    // Some file systems take the wish and do nothing.
    isInKernel = false
    if (memory.length === 0) memory = new Uint8Array(Math.min(most, largestInMemory))
    const length = await kernel.read(from, memory.subarray(0, most), at)
    if (length > 0) await kernel.write(to, [memory.subarray(0, length)], at)
    return length
  }
}

interface Data {
  readonly start: number
  readonly end: number
}

/** The next bytes of a file that are no hole; a file system that does not tell has none. */
export function dataFrom(kernel: Kernel, fd: number, at: number, size: number): Data {
  try {
    const start = kernel.seekData(fd, at)
    return start >= size ? { start: size, end: size } : { start, end: Math.min(kernel.seekHole(fd, start), size) }
  } catch (error) {
    if (codeOf(error) === 'ENXIO') return { start: size, end: size }
    if (!['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(codeOf(error) ?? '')) throw error
    return { start: at, end: size }
  }
}

/** A disk image of many gigabytes may take up next to nothing, and so shall its copy. */
export function hasHoles(kernel: Kernel, fd: number, size: number): boolean {
  const { start, end } = dataFrom(kernel, fd, 0, size)
  return start > 0 || end < size
}

/** One at a time for each file in this thread: two that are written into it at once would mix. */
export async function exclusively<T>(file: Identity, work: () => Promise<T>): Promise<T> {
  const key = keyOf(file)
  const before = queues.get(key) ?? Promise.resolve()
  const mine = before.then(work, work)
  queues.set(key, mine)
  try {
    return await mine
  } finally {
    if (queues.get(key) === mine) queues.delete(key)
  }
}

const queues = new Map<string, Promise<unknown>>()
