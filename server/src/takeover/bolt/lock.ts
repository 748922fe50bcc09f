import { lastErrno, libc } from '../../storage/linux/libc.ts'

const shared = 1
const withoutWaiting = 4

/**
 * Shares the file with other readers until it is closed. A writer locks it exclusively; where
 * the file system knows no such locks, the writer has none either.
 */
export const isLockedByAnother = (fd: number): boolean =>
  libc.flock(fd, shared | withoutWaiting) !== 0 && lastErrno() === 'EAGAIN'
