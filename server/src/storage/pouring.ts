import { Failure } from '../failure.ts'
import { unless } from './errno.ts'
import { flushingEarly } from './flushing.ts'
import type { Kernel, Stat } from './kernel.ts'
import { isFile } from './modes.ts'
import { sync } from './sync.ts'

/** The target was half poured when something broke: the draft holds the only whole version and must stay. */
export class DraftNeeded extends Error {}

/** Writes a finished draft over the bytes of `target`. Space is claimed first, so a full disk changes nothing. */
export async function pour(kernel: Kernel, draft: number, target: number): Promise<void> {
  const { size } = kernel.statOpen(draft)
  if (!isFile(kernel.statOpen(target).mode)) throw new Failure('forbidden', 'This cannot be written')
  if (size > 0) await claimSpace(kernel, target, size)
  try {
    await copyPieces(kernel, draft, target, size)
    await kernel.truncate(target, size)
    await sync(kernel, target)
  } catch (cause) {
    throw new DraftNeeded('The target is half written', { cause })
  }
}

/** Piece by piece, so that it can be stopped and never holds more than one in memory. */
export async function copyPieces(
  kernel: Kernel,
  from: number,
  to: number,
  size: number,
  signal?: AbortSignal,
): Promise<void> {
  const flushing = flushingEarly(() => sync(kernel, to))
  const piece = new Uint8Array(Math.min(1 << 20, size))
  try {
    for (let at = 0; at < size; ) {
      signal?.throwIfAborted()
      const length = await kernel.read(from, piece, at)
      if (length === 0) return
      await kernel.write(to, [piece.subarray(0, length)], at)
      at += length
      flushing.grownTo(at)
    }
  } finally {
    await flushing.end()
  }
}

/** One at a time for each file: two that are poured into it at once would mix. */
export async function alone<T>({ device, inode }: Stat, work: () => Promise<T>): Promise<T> {
  const key = `${device}:${inode}`
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

async function claimSpace(kernel: Kernel, target: number, size: number): Promise<void> {
  try {
    unless(['ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL'], () => kernel.reserve(target, size))
  } catch (error) {
    // Some file systems keep what they could get, beyond the end of the file, where nobody would ever find it.
    await kernel.truncate(target, kernel.statOpen(target).size).catch(() => {})
    throw error
  }
}
