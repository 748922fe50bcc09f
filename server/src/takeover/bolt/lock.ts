import { lastErrno, libc } from '../../storage/linux/libc.ts'

const shared = 1
const withoutWaiting = 4

/**
 * Takes a shared lock until the file is closed. BoltDB's writer holds an exclusive one; on a file system without locks
 * the writer has none either.
 */
export const isLockedByAnother = (fd: number): boolean =>
  libc.flock(fd, shared | withoutWaiting) !== 0 && lastErrno() === 'EAGAIN'
