interface WatchOptions {
  /** The memory of the process, in bytes. */
  resident?: () => number
  collect?: () => void
  milliseconds?: number
}

/** Below this it does not matter; a small machine has so much to spare. */
const plenty = 120_000_000
/** To collect for less than this would cost more than it brings. */
const worthwhile = 24_000_000

/**
 * Collects garbage as the process grows. The runtime counts what its own objects take and not the buffers they stand
 * for, and on a large machine it lets hundreds of megabytes of both pile up before it looks. It collects beside other
 * work: to wait for the end of it would stop all requests for 60 milliseconds.
 */
export function watchMemory({
  resident = () => process.memoryUsage.rss(),
  collect = () => Bun.gc(false),
  milliseconds = 100,
}: WatchOptions = {}): { stop(): void } {
  let floor = 0
  const look = () => {
    const now = resident()
    floor = Math.min(floor, now)
    if (now < plenty || now < floor + worthwhile) return
    collect()
    floor = resident()
  }
  const timer = setInterval(() => {
    try {
      look()
    } catch {
      // The system tells through a file, and a server that has no descriptor left cannot open one. It lives on.
    }
  }, milliseconds)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
