import { fileSystemAt } from './space.ts'

/**
 * Ext2 to ext4, xfs, and memory. Not btrfs, which until Linux 6.16 does not log a file without a name when it is synced, and
 * of a file that it meets in a synced folder only that there is one: after a power cut it would be empty. Not zfs, which
 * waits at the link until all that it holds in memory is on the disk. Others may lie on one of these, or copy.
 */
const fitting = new Set([0xef53, 0x58465342, 0x01021994])

export const canNameLater = (folder: number): boolean => fitting.has(fileSystemAt(folder))
