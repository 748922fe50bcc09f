import { existsSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { partsOfDevice } from './mount-table.ts'
import { fileSystemAt } from './space.ts'

const ext = 0xef53
/** Xfs, btrfs, f2fs, zfs and bcachefs. What lies in memory is not there after a power cut anyway. */
const ordered = new Set([0x58465342, 0x9123683e, 0xf2f52010, 0x2fc12fc1, 0xca451a4e, 0x01021994])
/** What the kernel calls a journal that lies on the disk itself. */
const journalInode = 8

/**
 * Is everything that was done before safe as soon as a later change of the same folder is? Where there is no journal, as on
 * ext2, FAT, or an ext4 without one, a sync makes a single file or folder safe: its name without what it stands for, or the
 * other way round. Also false where nothing is known.
 */
export function keepsOrder(fd: number, device: () => number): boolean {
  const type = fileSystemAt(fd)
  return type === ext ? hasJournal(device()) : ordered.has(type)
}

/** Asked each time: the same disk may be mounted again without one. */
function hasJournal(device: number): boolean {
  const name = nameOf(device)
  return name !== undefined && existsSync(`/proc/fs/jbd2/${name}-${journalInode}`)
}

const names = new Map<number, string | undefined>()

/** Numbers of devices have one name for good. */
function nameOf(device: number): string | undefined {
  if (!names.has(device)) names.set(device, readName(device))
  return names.get(device)
}

function readName(device: number): string | undefined {
  try {
    return basename(readlinkSync(`/sys/dev/block/${partsOfDevice(device).join(':')}`))
  } catch {
    return undefined
  }
}
