import { ptr } from 'bun:ffi'
import { type Kernel, linuxKernel, O } from './kernel.ts'
import { AT, libc, SYS, text } from './libc.ts'
import type { LookupJob } from './lookups.ts'

declare const self: Worker

let kernel: Kernel | undefined

self.onmessage = ({ data: { root, path, flags, follows } }: MessageEvent<LookupJob>) => {
  kernel ??= linuxKernel({ follows })
  const start = performance.now()
  const slept = sleeps()
  try {
    look(kernel, root, path, flags)
  } catch {
    // Whatever is wrong is told by the event loop, which asks again.
  }
  // On a busy machine a thread is late although it never waited for a disk; the kernel knows whether it did.
  self.postMessage(sleeps() === slept ? 0 : performance.now() - start)
}

function look(linux: Kernel, root: string, path: string, flags: number): void {
  const base = linux.open(-1, root, O.PATH | O.DIRECTORY)
  try {
    const fd = linux.openBeneath(base, path || '.', flags)
    try {
      // To open a path by itself asks nothing of what it leads to; the event loop stats it next.
      linux.statOpen(fd)
      if ((flags & O.DIRECTORY) !== 0) readAhead(fd)
    } finally {
      linux.close(fd)
    }
  } finally {
    linux.close(base)
  }
}

const namesSize = 64 * 1024
const [RUSAGE_THREAD, voluntarySwitches] = [1, 128]

/** How often this thread has given up its core because it had to wait. */
function sleeps(): number {
  if (libc.syscall(SYS.getrusage, RUSAGE_THREAD, statAt, 0, 0, 0) < 0) return Number.NaN
  return view.getUint32(namesSize + voluntarySwitches, true)
}

// Names first, then room for one statx. The functions below use the view, which keeps the memory: a pointer does not.
const view = new DataView(new ArrayBuffer(namesSize + 256))
const bufferAt = ptr(view)
const statAt = bufferAt + namesSize
const sample = 64
/** A cached lookup takes 1 µs, one that waits for a disk takes 100 µs and more. */
const slowLookup = 0.05

/** Reads into the kernel's caches what a listing needs: the names, and the inodes where the first ones were slow. */
function readAhead(fd: number): void {
  const folder = libc.openat(fd, text('.'), O.RDONLY | O.DIRECTORY | O.CLOEXEC, 0)
  if (folder < 0) return
  let looked = 0
  let took = 0
  for (let length = readNames(folder); length > 0; length = readNames(folder)) {
    for (let at = 0; at < length; at += view.getUint16(at + 16, true)) {
      const start = performance.now()
      libc.syscall(SYS.statx, folder, bufferAt + at + 19, AT.SYMLINK_NOFOLLOW | AT.NO_AUTOMOUNT, 0x7ff, statAt)
      took += performance.now() - start
      looked += 1
      // Everything was cached: what follows is, too, or is found soon enough.
      if (looked === sample && took < sample * slowLookup) return void libc.close(folder)
    }
  }
  libc.close(folder)
}

const readNames = (fd: number): number => Number(libc.syscall(SYS.getdents64, fd, bufferAt, namesSize, 0, 0))
