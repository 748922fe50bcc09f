import { dirname } from 'node:path'
import { deviceNumber, type Mount, readMounts } from './mount-table.ts'

/** Which file systems are mounted where. */
export interface Mounts {
  /** The mount point of the file system that a full name lies on. */
  of(name: string): string
  /** That file system, which may be mounted at several points. */
  deviceOf(name: string): string
  /**
   * Is it kept by another machine or program, which may stop answering at any time? A name may lead through symlinks, so
   * the device of what was found there says more (see `Stat.device`).
   */
  isRemote(name: string, device?: number): boolean
  /** Is another file system mounted on a name in this folder? To list the folder asks that one as well. */
  areIn(folder: string): boolean
  /** The points within a folder at which something is mounted. */
  pointsBelow(folder: string): readonly string[]
  /** Something has been mounted, or seems to have been: the table is read again now. */
  lookAgain(): void
}

/** The table is read again after a second. Timers ask it, too, so it never throws: without a descriptor it stays as it was. */
export function mountTable(read: () => readonly Mount[] | undefined = readMounts): Mounts {
  let mounted: readonly Mount[] = []
  let parents = new Set<string>()
  let typeOf = new Map<number, string>()
  let readAt = Number.NEGATIVE_INFINITY
  const refresh = () => {
    const now = performance.now()
    if (now - readAt <= 1000) return
    readAt = now
    try {
      // Of two at one point the later one hides the earlier.
      mounted = [...(read() ?? [])].reverse().sort((a, b) => b.point.length - a.point.length)
      parents = new Set(mounted.map(({ point }) => dirname(point)))
      typeOf = new Map(mounted.map(({ device, type }) => [numberOf(device), type]))
    } catch {}
  }
  /** The one with the longest point that the name lies beneath. */
  const mountOf = (name: string): Mount => {
    refresh()
    return (
      mounted.find(({ point }) => name.startsWith(point) && (point === '/' || isEndOfName(name, point.length))) ??
      unknown
    )
  }
  return {
    of: (name) => mountOf(name).point,
    deviceOf: (name) => mountOf(name).device,
    isRemote(name, device = -1) {
      const { type } = mountOf(name)
      // A part of a file system may have a device of its own, which the table does not tell.
      return !localTypes.has(typeOf.get(device) ?? type)
    },
    lookAgain() {
      readAt = Number.NEGATIVE_INFINITY
    },
    pointsBelow(folder) {
      refresh()
      const start = folder === '/' ? '/' : `${folder}/`
      return mounted.map(({ point }) => point).filter((point) => point !== '/' && point.startsWith(start))
    },
    areIn(folder) {
      refresh()
      return parents.has(folder.replace(/\/+$/, '') || '/')
    },
  }
}

/** Asked for every task and every mount, so it makes no text. */
const isEndOfName = (path: string, at: number): boolean => at === path.length || path[at] === '/'

function numberOf(device: string): number {
  const [major, minor] = device.split(':').map(Number)
  return deviceNumber(major ?? 0, minor ?? 0)
}

const unknown: Mount = { point: '/', device: '', type: 'ext4', top: '/' }

/** On disks of this machine, or in its memory. */
const localTypes = new Set(
  'ext2 ext3 ext4 xfs btrfs zfs f2fs bcachefs jfs reiserfs nilfs2 ntfs ntfs3 vfat msdos exfat hfs hfsplus udf iso9660 squashfs erofs overlay aufs tmpfs ramfs'.split(
    ' ',
  ),
)
