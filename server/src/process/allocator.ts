import { dlopen } from 'bun:ffi'

/** Their numbers in malloc.h. */
const [M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX] = [-1, -3, -8]
const largeBytes = 256 * 1024

interface Allocator {
  /** Gives back what is free between things that are still in use. */
  trim(): void
}

/**
 * Archives and answers are packed by libraries in many threads. Left to itself, glibc keeps a heap for every thread and
 * gives little of it back. With few heaps, and large pieces outside of them, nearly all of it comes back. Other C
 * libraries do not know these words and do not need them. Decoders get the same by variables (programs/confined.ts).
 */
export function frugalAllocator(): Allocator {
  try {
    const { symbols } = dlopen('libc.so.6', {
      mallopt: { args: ['i32', 'i32'], returns: 'i32' },
      malloc_trim: { args: ['u64'], returns: 'i32' },
    })
    symbols.mallopt(M_ARENA_MAX, 2)
    symbols.mallopt(M_MMAP_THRESHOLD, largeBytes)
    symbols.mallopt(M_TRIM_THRESHOLD, largeBytes)
    return { trim: () => void symbols.malloc_trim(0) }
  } catch {
    return { trim() {} }
  }
}
