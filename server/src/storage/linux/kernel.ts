import { ptr } from 'bun:ffi'
import { writeSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import type { NameList } from '../../entries/name-list.ts'
import { walk } from './beneath.ts'
import { copyFromMemory, copyRange } from './copies.ts'
import { Errno } from './errno.ts'
import { type FileCalls, patientFileCalls } from './file-calls.ts'
import { keepsOrder } from './journal.ts'
import { AT, check, lastErrno, libc, O, other, SYS, text } from './libc.ts'
import { canNameLater } from './nameless.ts'
import { type Space, spaceAt } from './space.ts'
import {
  bornAt,
  lookAtNames,
  readFolder,
  readFolderUpTo,
  readNames,
  readNamesInto,
  statx,
  statxIfThere,
} from './statx.ts'
import { canSyncFileSystem, syncfs, writeOut } from './syncfs.ts'

/**
 * The file calls of Linux that node:fs does not offer: everything relative to an open folder, nothing by a full name
 * that could be swapped between a check and its use. Each call throws an `Errno`; nothing here decides anything.
 */
export interface Kernel extends FileCalls {
  /** A full name needs no folder; it is then -1. */
  open(folder: number, name: Name, flags: number, mode?: number): number
  /** Opens a path of several names and refuses (ELOOP) as soon as one of them is a link. */
  openBeneath(folder: number, path: string, flags: number, mode?: number): number
  /** The same also where `openBeneath` has been told to follow links. */
  openWithoutLinks(folder: number, path: string, flags: number): number
  /** Is a file that gets its name when its bytes are on the disk as safe here as one that had a name, and made as fast? */
  canNameLater(folder: number): boolean
  /** Opens an empty file that has no name yet; it goes with its descriptor. Not every file system can. */
  openNameless(folder: number, mode: number): number
  /** Gives such a file its name; a taken one is EEXIST. */
  giveName(fd: number, folder: number, name: Name): void
  close(fd: number): void
  stat(folder: number, name: Name): Stat
  /** The same for a name that may well be free. */
  look(folder: number, name: Name): Stat | undefined
  /** The same as `readFolder` looks at names: nothing is mounted for it. */
  lookInFolder(folder: number, name: Name): Stat | undefined
  statOpen(fd: number): Stat
  /** When it came into being, which tells it from a later one of the same number; empty where unknown. */
  bornAt(folder: number, name: Name): string
  bornAt(fd: number): string
  /** May this process make and remove names in the folder? */
  isWritable(folder: number): boolean
  /** May it write into the file? */
  isWritableFile(folder: number, name: Name): boolean
  /**
   * One read of a folder: what it holds next with its facts, or null at the end. Names are bytes. With `isOnce` the items
   * of a small one are not kept for the next time.
   */
  readFolder(fd: number, isOnce?: boolean): readonly FolderItem[] | null
  /** The same, unless that are more than `most` names: then nothing was looked at. */
  readFolderUpTo(fd: number, most: number): readonly FolderItem[] | 'too-many' | null
  /** The same for names alone, which is all a search needs. */
  readNames(fd: number): NamedItem[] | null
  /** The same into a list, with no text for a name; false at the end. */
  readNamesInto(fd: number, names: NameList, test: NameTest): boolean
  /** Looks at each name of such a list; those that are gone are left out. */
  lookAtNames(fd: number, names: Uint8Array<ArrayBuffer>, take: (looked: LookedAt) => void): void
  /** A few bytes from the beginning of a file on, without a pause in which other work of the thread could come. */
  writeNow(fd: number, bytes: Uint8Array): void
  makeFolder(folder: number, name: Name, mode: number): void
  unlink(folder: number, name: Name): void
  removeFolder(folder: number, name: Name): void
  rename(from: number, name: Name, to: number, newName: Name): void
  /** Like rename, but a taken name is EEXIST in the same step. */
  renameToFree(from: number, name: Name, to: number, newName: Name): void
  link(from: number, name: Name, to: number, newName: Name): void
  makeLink(target: Uint8Array, folder: number, name: Name): void
  readLink(folder: number, name: Name): Buffer
  /** Has the file an access control list? Then the group bits of its mode are the mask of that list. */
  hasAcl(fd: number): boolean
  changeMode(fd: number, mode: number): void
  changeOwner(fd: number, uid: number, gid: number): void
  setTimes(fd: number, seconds: number, nanoseconds: number): void
  /** On the file system of an open file or folder, in bytes. */
  space(fd: number): Space
  /** Makes sure that `size` bytes will fit without changing what the file holds. */
  reserve(fd: number, size: number): void
  /** Where the next byte behind a position is that is no hole; ENXIO where there is none. */
  seekData(fd: number, position: number): number
  /** Where the next hole is; the end of a file counts as one. */
  seekHole(fd: number, position: number): number
  /** As many as possible; then the first refusal is thrown. What a program may do beyond its user is not copied. */
  copyAttributes(from: number, to: number): void
  /** Lets both files share their blocks, whatever the size; few file systems can. */
  shareBytes(from: number, to: number): void
  /** The whole content of a small file, unless the disk would have to be waited for. */
  copyFromMemory(from: number, to: number, size: number): boolean
  /** The whole content in one go, inside the kernel where it can. */
  copyBytes(from: number, to: number): Promise<void>
  /** Up to so many bytes to the same place in another file, inside the kernel; tells how many. */
  copyRange(from: number, to: number, position: number, length: number): Promise<number>
  /**
   * Waits until the disk has the bytes of a small file. Only a sync makes them safe: it also keeps where they are, and empties
   * the disk's own cache.
   */
  writeOut(fd: number): void
  /** Waits until all that was written to the file system is safe, and fails if any was lost since `fd` was opened. */
  syncFileSystem(fd: number): Promise<void>
  /** Can that be relied on here? */
  canSyncFileSystem(fd: number): boolean
  /** Does a sync of a folder keep what was done before it, also elsewhere? Else each file and folder is synced by itself. */
  keepsOrder(fd: number): boolean
}

export { O }

/** A single name in a folder: text, or bytes where the disk holds what is not UTF-8. */
export type Name = string | Uint8Array

export interface Stat {
  /** With the bits of the kind. */
  mode: number
  size: number
  seconds: number
  nanoseconds: number
  inode: number
  device: number
  links: number
  uid: number
  gid: number
  /** When anything about it last changed, its name included: milliseconds since 1970, finer than the disk tells. */
  changed: number
  /** The lower half of what statx tells: immutable, a mount point and so on. */
  attributes: number
}

/** Two names with the same are the same file. */
export type Identity = Pick<Stat, 'device' | 'inode'>

export interface FolderItem {
  name: string
  /** The true name, where it is not UTF-8. */
  bytes: Uint8Array | undefined
  stat: Stat
}

export interface NamedItem {
  name: string
  /** The true name, where it is not UTF-8. */
  bytes: Uint8Array | undefined
  /** The bits of the kind, and no others that mean anything. */
  mode: number
  /** Of the place, which is not that of a file system mounted there. */
  inode: number
}

/** Which names go into a list. To make a text for each takes longer than to read them, so most are not asked about. */
export interface NameTest {
  /** Names with a dot or no ASCII in front are suspect anyway. */
  isSuspect(inode: number): boolean
  /** Asked about those that are suspect. */
  isShown(item: NamedItem): boolean
}

/** A name of a list. The same object each time. */
export interface LookedAt {
  /** In the list. */
  start: number
  end: number
  /** The bits of the kind when the folder was read. */
  type: number
  /** Undefined where it may not be looked at, or cannot. The same object each time, too. */
  stat: Stat | undefined
}

const [W_OK, X_OK] = [2, 1]
const [SEEK_DATA, SEEK_HOLE] = [3, 4]
const RESOLVE_NO_SYMLINKS_BENEATH = 0x04 | 0x08
const RENAME_NOREPLACE = 1
const FALLOC_KEEP_SIZE = 1
const FICLONE = 0x40049409
const mostTries = 100

// Three numbers of 64 bits (flags, mode, how to resolve), of which the upper halves stay zero.
const how = new Uint32Array(new ArrayBuffer(24))
const howAt = ptr(how)

/**
 * `openat2: false` leaves out the newest call, as old kernels and strict sandboxes do. `follows` gives up the refusal of
 * links, for administrators who trust every account that can make symlinks on their disk.
 */
export function linuxKernel({ openat2 = true, follows = false } = {}): Kernel {
  const inOneCall = openat2 && hasOpenat2()

  function withoutLinks(folder: number, path: string, flags: number, mode: number): number {
    if (!inOneCall) return walk(kernel, folder, path, flags, mode)
    for (let tries = 1; ; tries += 1) {
      const fd = tryOpenat2(folder, path, flags | O.CLOEXEC, mode)
      if (fd >= 0) return fd
      const code = lastErrno()
      // A rename elsewhere at the same moment, and the kernel asks to try again; or a lease that takes longer.
      if (code !== 'EAGAIN' || tries === mostTries) throw new Errno(code, 'openat2')
    }
  }

  const kernel: Kernel = {
    open: (folder, name, flags, mode = 0) => check('openat', libc.openat(folder, text(name), flags | O.CLOEXEC, mode)),

    openBeneath: (folder, path, flags, mode = 0) =>
      follows ? kernel.open(folder, path, flags, mode) : withoutLinks(folder, path, flags, mode),
    openWithoutLinks: (folder, path, flags) => withoutLinks(folder, path, flags, 0),

    canNameLater,
    openNameless: (folder, mode) => kernel.open(folder, '.', O.RDWR | O.TMPFILE | O.DIRECTORY, mode),
    giveName: (fd, folder, name) =>
      void check('linkat', libc.linkat(-1, text(`/proc/self/fd/${fd}`), folder, other(name), AT.SYMLINK_FOLLOW)),
    close: (fd) => void libc.close(fd),
    stat: (folder, name) => statx(folder, text(name), AT.SYMLINK_NOFOLLOW),
    look: (folder, name) => statxIfThere(folder, text(name), AT.SYMLINK_NOFOLLOW),
    lookInFolder: (folder, name) => statxIfThere(folder, text(name), AT.SYMLINK_NOFOLLOW | AT.NO_AUTOMOUNT),
    statOpen: (fd) => statx(fd, text(''), AT.EMPTY_PATH),
    bornAt: (fd: number, name: Name = '') => bornAt(fd, text(name)),
    isWritable: (folder) => libc.faccessat(folder, text('.'), W_OK | X_OK, AT.EACCESS) === 0,
    isWritableFile: (folder, name) => libc.faccessat(folder, text(name), W_OK, AT.EACCESS) === 0,
    readFolder,
    readFolderUpTo,
    readNames,
    readNamesInto,
    lookAtNames,

    writeNow(fd, bytes) {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, at)
    },
    makeFolder: (folder, name, mode) => void check('mkdirat', libc.mkdirat(folder, text(name), mode)),
    unlink: (folder, name) => void check('unlinkat', libc.unlinkat(folder, text(name), 0)),
    removeFolder: (folder, name) => void check('unlinkat', libc.unlinkat(folder, text(name), AT.REMOVEDIR)),
    rename: (from, name, to, newName) => renameWith(0, from, name, to, newName),
    renameToFree: (from, name, to, newName) => renameWith(RENAME_NOREPLACE, from, name, to, newName),
    link: (from, name, to, newName) => void check('linkat', libc.linkat(from, text(name), to, other(newName), 0)),
    makeLink: (target, folder, name) => void check('symlinkat', libc.symlinkat(other(target), folder, text(name))),

    readLink(folder, name) {
      const target = Buffer.from(new ArrayBuffer(4096))
      const length = check('readlinkat', libc.readlinkat(folder, text(name), ptr(target), target.length))
      return target.subarray(0, length)
    },

    hasAcl: (fd) => libc.fgetxattr(fd, text('system.posix_acl_access'), null, 0) > 0,
    changeMode: (fd, mode) => void check('fchmod', libc.fchmod(fd, mode)),
    changeOwner: (fd, uid, gid) => void check('fchown', libc.fchown(fd, uid, gid)),

    setTimes(fd, seconds, nanoseconds) {
      const times = new BigInt64Array(new ArrayBuffer(32))
      times.set([seconds, nanoseconds, seconds, nanoseconds].map(BigInt))
      check('futimens', libc.futimens(fd, ptr(times)))
    },

    space: spaceAt,
    reserve: (fd, size) => void check('fallocate', libc.fallocate(fd, FALLOC_KEEP_SIZE, 0, size)),
    seekData: (fd, position) => check('lseek', libc.lseek(fd, position, SEEK_DATA)),
    seekHole: (fd, position) => check('lseek', libc.lseek(fd, position, SEEK_HOLE)),
    copyAttributes,
    shareBytes: (from, to) => void check('ioctl', libc.syscall(SYS.ioctl, to, FICLONE, from, 0, 0)),

    ...patientFileCalls,
    sizeOf: async (fd) => kernel.statOpen(fd).size,
    copyFromMemory,
    // By descriptor: this road leads to the open files themselves, whatever has become of their names.
    copyBytes: (from, to) => copyFile(`/proc/self/fd/${from}`, `/proc/self/fd/${to}`),
    // The runtime's own threads know neither of these. Each keeps its thread waiting, unless another one is asked.
    copyRange: async (from, to, position, length) => copyRange(from, to, position, length),
    writeOut: (fd) => void check('sync_file_range', writeOut(fd)),
    syncFileSystem: async (fd) => void check('syncfs', syncfs(fd)),
    canSyncFileSystem,
    keepsOrder: (fd) => keepsOrder(fd, () => kernel.statOpen(fd).device),
  }
  return kernel
}

function tryOpenat2(folder: number, path: string, flags: number, mode: number): number {
  how[0] = flags
  how[2] = mode
  how[4] = RESOLVE_NO_SYMLINKS_BENEATH
  return Number(libc.syscall(SYS.openat2, folder, text(path), howAt, how.byteLength, 0))
}

/** Kernels before 5.6 do not know the call, and some sandboxes refuse it; either way '.' cannot be opened with it. */
export function hasOpenat2(): boolean {
  const root = libc.openat(-1, text('/'), O.PATH | O.CLOEXEC, 0)
  const fd = tryOpenat2(root, '.', O.PATH | O.CLOEXEC, 0)
  libc.close(root)
  if (fd >= 0) libc.close(fd)
  return fd >= 0
}

function renameWith(flags: number, from: number, name: Name, to: number, newName: Name): void {
  check('renameat2', libc.syscall(SYS.renameat2, from, text(name), to, other(newName), flags))
}

function copyAttributes(from: number, to: number): void {
  const names = Buffer.from(new ArrayBuffer(64 * 1024))
  const length = check('flistxattr', libc.flistxattr(from, ptr(names), names.length))
  if (length === 0) return
  const value = Buffer.from(new ArrayBuffer(64 * 1024))
  let refusal: string | undefined
  for (const name of names.toString('latin1', 0, length).split('\0')) {
    // Rights of a program belong to the bytes that were given them; the kernel drops them on every write as well.
    if (name === '' || name === 'security.capability') continue
    const label = text(Buffer.from(name, 'latin1'))
    const size = libc.fgetxattr(from, label, ptr(value), value.length)
    if (size >= 0 && libc.fsetxattr(to, label, ptr(value), size, 0) < 0) refusal ??= lastErrno()
  }
  if (refusal !== undefined) throw new Errno(refusal, 'fsetxattr')
}
