import type { Cancellation } from '../../concurrency/cancellation.ts'
import { tolerating } from '../linux/errno.ts'
import { type Kernel, O, type Stat } from '../linux/kernel.ts'
import { dataFrom, hasHoles } from './in-place.ts'
import { sync } from './sync.ts'
import type { NameAt } from './target.ts'

const pieceLength = 1 << 20

/** Do two open files hold the same bytes? Where both have holes nothing is read. */
export async function haveSameContents(
  kernel: Kernel,
  one: number,
  two: number,
  signal?: Cancellation,
): Promise<boolean> {
  const { size } = kernel.statOpen(one)
  if (kernel.statOpen(two).size !== size) return false
  // What was written a moment ago, and is not on the disk yet, looks like a hole on some file systems.
  for (const fd of [one, two]) if (hasHoles(kernel, fd, size)) await sync(kernel, fd)
  const pieces = [new Uint8Array(Math.min(size, pieceLength)), new Uint8Array(Math.min(size, pieceLength))] as const
  for (let at = 0; at < size; ) {
    signal?.throwIfAborted()
    at = Math.min(dataFrom(kernel, one, at, size).start, dataFrom(kernel, two, at, size).start)
    if (at >= size) return true
    const length = await kernel.read(one, pieces[0].subarray(0, Math.min(pieceLength, size - at)), at)
    if (length === 0 || !(await readWhole(kernel, two, pieces[1].subarray(0, length), at))) return false
    if (Buffer.compare(pieces[0].subarray(0, length), pieces[1].subarray(0, length)) !== 0) return false
    at += length
  }
  return true
}

async function readWhole(kernel: Kernel, fd: number, into: Uint8Array, position: number): Promise<boolean> {
  for (let at = 0; at < into.length; ) {
    const length = await kernel.read(fd, into.subarray(at), position + at)
    if (length === 0) return false
    at += length
  }
  return true
}

/** As far as size and time tell, which a file system may cut off. */
export function looksLike(source: Stat, copy: Stat): boolean {
  if (source.size !== copy.size) return false
  if (source.seconds === copy.seconds && source.nanoseconds === copy.nanoseconds) return true
  const [seconds, nanoseconds] = [source.seconds, source.nanoseconds]
  if (copy.seconds !== seconds) return copy.nanoseconds === 0 && copy.seconds === seconds - (seconds % 2)
  return [1, 100, 1000, 1_000_000, 1_000_000_000].some(
    (step) => copy.nanoseconds === nanoseconds - (nanoseconds % step),
  )
}

/** The same bytes under two names? False where one of them cannot be read. */
export const haveSameBytes = (kernel: Kernel, one: NameAt, two: NameAt, signal?: Cancellation): Promise<boolean> =>
  withBoth(kernel, one, two, (a, b) => haveSameContents(kernel, a, b, signal))

/** Opens both; false where one of them cannot be read. */
export async function withBoth(
  kernel: Kernel,
  one: NameAt,
  two: NameAt,
  work: (one: number, two: number) => Promise<boolean>,
): Promise<boolean> {
  const open = ({ folder, name }: NameAt) =>
    tolerating(['ENOENT', 'ELOOP', 'EACCES', 'ENXIO'], () =>
      kernel.open(folder, name, O.RDONLY | O.NOFOLLOW | O.NONBLOCK),
    )
  const first = open(one)
  const second = first === undefined ? undefined : open(two)
  try {
    return first !== undefined && second !== undefined && (await work(first, second))
  } finally {
    for (const fd of [first, second]) if (fd !== undefined) kernel.close(fd)
  }
}
