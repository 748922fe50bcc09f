import { askedAgain } from '../../concurrency/asked-again.ts'
import type { Cancellation } from '../../concurrency/cancellation.ts'
import { Failure } from '../../failure.ts'
import type { Kernel, Stat } from '../linux/kernel.ts'
import { isByteTaken, tryLockByte } from '../linux/locks.ts'

/**
 * Far behind the end of every file, where no other program locks a byte of its own. The lock ends when the descriptor is
 * closed.
 */
const lockedByte = 2 ** 62
/** In milliseconds. */
const longestWait = 60_000

/**
 * For a file that is overwritten in place: one writer at a time, also where another thread or another server has it open.
 * A path may lead through a symlink to a file system that another thread changes. What another kind of program locks is
 * written as ever, and so is a file on a file system without locks.
 */
export const lockForWriting = (fd: number): Promise<void> =>
  untilFree(() => tryLockByte(fd, lockedByte) !== 'taken', beingWritten())

/** Only what has several names is overwritten in place, but for files that are mounted by themselves. */
export const isBeingOverwritten = (fd: number, { links }: Pick<Stat, 'links'>): boolean =>
  links > 1 && isByteTaken(fd, lockedByte)

export async function statWhenWritten(kernel: Kernel, fd: number): Promise<Stat> {
  await untilFree(() => !isByteTaken(fd, lockedByte), beingWritten())
  return kernel.statOpen(fd)
}

const beingWritten = () => new Failure('locked', 'The file is being written by another request')

/** Waits for a lock of the kernel as long as an answer can be waited for. */
export async function untilFree(isFree: () => boolean, otherwise: Failure, signal?: Cancellation): Promise<void> {
  if (!(await askedAgain(() => isFree() || undefined, longestWait, signal))) throw otherwise
}
