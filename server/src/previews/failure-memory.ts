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
  const until = new Map<string, number>()
  return {
    add(key) {
      until.delete(key)
      until.set(key, now() + milliseconds)
      const [oldest] = until.keys()
      if (until.size > mostKept && oldest !== undefined) until.delete(oldest)
    },
    has(key) {
      const end = until.get(key)
      if (end !== undefined && end <= now()) until.delete(key)
      return until.has(key)
    },
  }
}
