import { LruMap } from '../lru-map.ts'

interface FailureMemory {
  add(key: string): void
  has(key: string): boolean
}

const mostKept = 1000

/**
 * Negative cache: versions of files that ended their decoder. They are not tried again for a while, because each try
 * costs a process, and a listing asks for the same preview again and again.
 */
export function failureMemory(milliseconds = 600_000, now: () => number = () => performance.now()): FailureMemory {
  const until = new LruMap<string, number>(mostKept)
  return {
    add: (key) => until.set(key, now() + milliseconds),
    has: (key) => (until.get(key) ?? 0) > now(),
  }
}
