import { release } from 'node:os'
import { lastErrno, libc, SYS } from './libc.ts'
import { fileSystemAt } from './space.ts'

/** Negative where it failed. */
export const syncfs = (fd: number): number => Number(libc.syscall(SYS.syncfs, fd, 0, 0, 0, 0))

/** Disks of this machine: ext2 to ext4, xfs, btrfs, f2fs, zfs, and its memory. Others may take the call for a wish. */
const reliable = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0x01021994])

/** Older kernels do not tell of bytes that the disk failed to keep. */
const [major = 0, minor = 0] = release().split('.').map(Number)
const tellsOfLosses = major > 5 || (major === 5 && minor >= 8)

/** Some sandboxes refuse the call; without a descriptor it does nothing. */
const isAllowed = syncfs(-1) < 0 && lastErrno() === 'EBADF'

export const canSyncFileSystem = (fd: number): boolean => tellsOfLosses && isAllowed && reliable.has(fileSystemAt(fd))

/** SYNC_FILE_RANGE_WAIT_BEFORE, _WRITE and _WAIT_AFTER. */
const allOfIt = 1 | 2 | 4

/** All bytes of a file are given to the disk, and nothing else of it. Negative where it failed. */
export const writeOut = (fd: number): number => Number(libc.syscall(SYS.sync_file_range, fd, 0, 0, allOfIt, 0))
