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
/** For every millisecond of collecting so many of work. */
const workShare = 4

/**
 * Collects garbage as the process grows. The runtime counts what its own objects take and not the buffers they stand
 * for, and on a large machine it lets hundreds of megabytes of both pile up before it looks.
 */
export function watchMemory({
  resident = () => process.memoryUsage.rss(),
  collect = () => Bun.gc(false),
  milliseconds = 100,
}: WatchOptions = {}): { stop(): void } {
  let floor = 0
  let notBefore = 0
  const look = () => {
    const begun = performance.now()
    const now = resident()
    floor = Math.min(floor, now)
    if (begun < notBefore || now < plenty || now < floor + worthwhile) return
    collect()
    floor = resident()
    const ended = performance.now()
    notBefore = ended + (ended - begun) * workShare
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
