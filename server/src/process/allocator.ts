import { dlopen } from 'bun:ffi'
import { releaseProgramPages } from './program-pages.ts'

/** Constants of malloc.h. */
const [M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX] = [-1, -3, -8]
const largeBytes = 256 * 1024

interface Allocator {
  /** Returns free memory inside the heap to the system, and pages of the program that may not be needed again. */
  trim(): void
}

/**
 * Limits glibc's malloc to two arenas and maps large blocks outside of them. Compression runs in many threads, and by
 * default each gets an arena of its own, of which little is returned to the system. Other C libraries have neither the
 * options nor the problem. Decoders get the same by environment variables (programs/confined.ts).
 */
export function tuneAllocator(): Allocator {
  try {
    const { symbols } = dlopen('libc.so.6', {
      mallopt: { args: ['i32', 'i32'], returns: 'i32' },
      malloc_trim: { args: ['u64'], returns: 'i32' },
      madvise: { args: ['u64', 'u64', 'i32'], returns: 'i32' },
    })
    symbols.mallopt(M_ARENA_MAX, 2)
    symbols.mallopt(M_MMAP_THRESHOLD, largeBytes)
    symbols.mallopt(M_TRIM_THRESHOLD, largeBytes)
    return {
      trim() {
        symbols.malloc_trim(0)
        releaseProgramPages(symbols.madvise)
      },
    }
  } catch {
    return { trim() {} }
  }
}
