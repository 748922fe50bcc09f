import { dlopen, FFIType, type Pointer, ptr, read } from 'bun:ffi'
import { constants as os } from 'node:os'
import { bytesOf } from '../exact-names.ts'
import { Errno } from './errno.ts'
import type { Name } from './kernel.ts'

/** The C library of this system, as far as the kernel adapter calls it. */
export const libc = openLibrary()

/** What takes more arguments than `syscall` has room for, and older C libraries lack. */
export const newerLibc = firstOf(loadNewer)

const isArm = process.arch === 'arm64'

/** What young kernels know and old C libraries have no name for. */
export const SYS = {
  fcntl: isArm ? 25 : 72,
  getdents64: isArm ? 61 : 217,
  getrusage: isArm ? 165 : 98,
  inotify_add_watch: isArm ? 27 : 254,
  inotify_init1: isArm ? 26 : 294,
  inotify_rm_watch: isArm ? 28 : 255,
  ioctl: isArm ? 29 : 16,
  openat2: 437,
  prlimit64: isArm ? 261 : 302,
  read: isArm ? 63 : 0,
  renameat2: isArm ? 276 : 316,
  statx: isArm ? 291 : 332,
  sync_file_range: isArm ? 84 : 277,
  syncfs: isArm ? 267 : 306,
} as const

export const O = {
  RDONLY: 0,
  WRONLY: 1,
  RDWR: 2,
  CREAT: 0o100,
  EXCL: 0o200,
  NONBLOCK: 0o4000,
  CLOEXEC: 0o2000000,
  // These two differ between the architectures.
  DIRECTORY: isArm ? 0o40000 : 0o200000,
  NOFOLLOW: isArm ? 0o100000 : 0o400000,
  PATH: 0o10000000,
  /** Means something only together with `DIRECTORY`. */
  TMPFILE: 0o20000000,
} as const

export const AT = {
  SYMLINK_NOFOLLOW: 0x100,
  REMOVEDIR: 0x200,
  EACCESS: 0x200,
  SYMLINK_FOLLOW: 0x400,
  NO_AUTOMOUNT: 0x800,
  EMPTY_PATH: 0x1000,
} as const

const errnoAt = libc.__errno_location() as Pointer
// Two numbers have two names; reversed, because the first one (EAGAIN, ENOTSUP) is what all others say.
const nameOfErrno = new Map(
  Object.entries(os.errno)
    .map(([name, number]) => [number, name] as const)
    .reverse(),
)

/** Why the last call failed. Valid only right after it, on the same thread, before anything else is called. */
export function lastErrno(): string {
  const number = read.i32(errnoAt, 0)
  return nameOfErrno.get(number) ?? `E${number}`
}

export function check(call: string, result: number | bigint): number {
  if (result < 0) throw new Errno(lastErrno(), call)
  return Number(result)
}

// Every call is synchronous from writing these buffers to reading them, so one of each is enough. They stand on array
// buffers of their own: a small typed array moves when its buffer is first asked for, and its pointer goes stale.
const longestPath = 4096
const nameBuffer = Buffer.from(new ArrayBuffer(longestPath * 2))
const nameAt = ptr(nameBuffer)
const otherBuffer = Buffer.from(new ArrayBuffer(longestPath * 2))
const otherAt = ptr(otherBuffer)

/** A name as C wants it; valid until the next one. */
export const text = (name: Name): Pointer => put(name, nameBuffer, nameAt)
/** A second one, for calls that take two. */
export const other = (name: Name): Pointer => put(name, otherBuffer, otherAt)

function put(name: Name, buffer: Buffer, at: Pointer): Pointer {
  if (name.length >= longestPath) throw new Errno('ENAMETOOLONG', 'name')
  // What does not fit is cut off in silence, but then more than the longest path has been written.
  const size = typeof name !== 'string' ? name.length : name.isWellFormed() ? buffer.write(name) : bytesOf(name).length
  if (size >= longestPath) throw new Errno('ENAMETOOLONG', 'name')
  if (typeof name !== 'string') buffer.set(name)
  else if (!name.isWellFormed()) buffer.set(bytesOf(name))
  buffer[size] = 0
  return at
}

function openLibrary() {
  const library = firstOf(load)
  if (library === undefined) throw new Error('Filestead needs the C library of Linux, and none was found')
  return library
}

function firstOf<T>(load: (name: string) => T): T | undefined {
  for (const name of ['libc.so.6', 'libc.so', `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`]) {
    try {
      return load(name)
    } catch {
      // The next name.
    }
  }
  return undefined
}

function load(name: string) {
  return dlopen(name, {
    syscall: { args: ['i64', 'i64', 'i64', 'i64', 'i64', 'i64'], returns: FFIType.i64_fast },
    openat: { args: ['i32', 'ptr', 'i32', 'u32'], returns: 'i32' },
    close: { args: ['i32'], returns: 'i32' },
    lseek: { args: ['i32', 'i64', 'i32'], returns: FFIType.i64_fast },
    faccessat: { args: ['i32', 'ptr', 'i32', 'i32'], returns: 'i32' },
    mkdirat: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
    unlinkat: { args: ['i32', 'ptr', 'i32'], returns: 'i32' },
    linkat: { args: ['i32', 'ptr', 'i32', 'ptr', 'i32'], returns: 'i32' },
    symlinkat: { args: ['ptr', 'i32', 'ptr'], returns: 'i32' },
    readlinkat: { args: ['i32', 'ptr', 'ptr', 'u64'], returns: FFIType.i64_fast },
    fchmod: { args: ['i32', 'u32'], returns: 'i32' },
    fchown: { args: ['i32', 'u32', 'u32'], returns: 'i32' },
    futimens: { args: ['i32', 'ptr'], returns: 'i32' },
    flock: { args: ['i32', 'i32'], returns: 'i32' },
    fstatfs: { args: ['i32', 'ptr'], returns: 'i32' },
    fallocate: { args: ['i32', 'i32', 'i64', 'i64'], returns: 'i32' },
    flistxattr: { args: ['i32', 'ptr', 'u64'], returns: FFIType.i64_fast },
    fgetxattr: { args: ['i32', 'ptr', 'ptr', 'u64'], returns: FFIType.i64_fast },
    fsetxattr: { args: ['i32', 'ptr', 'ptr', 'u64', 'i32'], returns: 'i32' },
    __errno_location: { args: [], returns: 'ptr' },
  }).symbols
}

function loadNewer(name: string) {
  return dlopen(name, {
    copy_file_range: { args: ['i32', 'ptr', 'i32', 'ptr', 'u64', 'u32'], returns: FFIType.i64_fast },
    preadv2: { args: ['i32', 'ptr', 'i32', 'i64', 'i32'], returns: FFIType.i64_fast },
  }).symbols
}
