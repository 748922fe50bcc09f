import { ptr } from 'bun:ffi'
import { lastErrno, libc, SYS } from './libc.ts'

/**
 * Locks on single bytes of a file, which need not be there. The kernel lets go of a lock when the process that holds it
 * ends, however it ends, and tells of it in every container over the same volume.
 */

const [F_GETLK, F_SETLK] = [5, 6]
const [F_OFD_GETLK, F_OFD_SETLK] = [36, 37]
const [F_WRLCK, F_UNLCK] = [1, 2]

// As in C: type and whence (16 bits each), start and length (64 bits each), process id.
const lock = new DataView(new ArrayBuffer(32))
const lockAt = ptr(lock)

/** False where it is taken, or where the file system knows no locks. */
export const lockByte = (fd: number, at: number): boolean => ask(fd, at, F_OFD_SETLK, F_SETLK) === ''

/** Locks the byte, unless another one holds it. True also where the file system knows no locks. */
export const isFreeToLock = (fd: number, at: number): boolean =>
  !['EAGAIN', 'EACCES'].includes(ask(fd, at, F_OFD_SETLK, F_SETLK))

/** Does another one hold the byte? Undefined where the file system does not tell. */
export function isByteLocked(fd: number, at: number): boolean | undefined {
  if (ask(fd, at, F_OFD_GETLK, F_GETLK) !== '') return undefined
  return lock.getInt16(0, true) !== F_UNLCK
}

/** Is it an open file that holds the byte? Other kinds of programs lock by process, and are nothing to wait for. */
export const isByteTaken = (fd: number, at: number): boolean =>
  isByteLocked(fd, at) === true && lock.getInt32(24, true) <= 0

/** Taken by an open file; impossible where another kind of program has it, or where there are no locks. */
export function tryLockByte(fd: number, at: number): 'locked' | 'taken' | 'impossible' {
  const refusal = ask(fd, at, F_OFD_SETLK, F_SETLK)
  if (refusal === '') return 'locked'
  if (refusal !== 'EAGAIN' && refusal !== 'EACCES') return 'impossible'
  // One that was let go of meanwhile is asked for again.
  return isByteTaken(fd, at) || isByteLocked(fd, at) === false ? 'taken' : 'impossible'
}

/** By open file; where the kernel is too old for that, by process, which is the same for a server. */
function ask(fd: number, at: number, byFile: number, byProcess: number): string {
  const first = call(fd, at, byFile)
  return first === 'EINVAL' ? call(fd, at, byProcess) : first
}

/** The errno, or nothing. */
function call(fd: number, at: number, command: number): string {
  lock.setInt16(0, F_WRLCK, true)
  lock.setInt16(2, 0, true)
  lock.setBigInt64(8, BigInt(at), true)
  lock.setBigInt64(16, 1n, true)
  lock.setInt32(24, 0, true)
  return libc.syscall(SYS.fcntl, fd, command, lockAt, 0, 0) < 0 ? lastErrno() : ''
}
