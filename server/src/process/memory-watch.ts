interface WatchOptions {
  /** The memory of the process, in bytes. */
  resident?: () => number
  collect?: () => void
  milliseconds?: number
}

/** In bytes: below this, memory is not worth the time. */
const collectAbove = 120_000_000
/** In bytes: the growth after which a collection pays off. */
const worthwhileGrowth = 24_000_000

/**
 * Collects garbage as the resident memory grows. The runtime counts its own objects but not the buffers behind them, and
 * on a large machine it lets hundreds of megabytes of both accumulate. It collects beside other work: to wait for the end
 * of it would stop all requests for 60 milliseconds.
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
    if (now < collectAbove || now < floor + worthwhileGrowth) return
    collect()
    floor = resident()
  }
  const timer = setInterval(() => {
    try {
      look()
    } catch {
      // Reading the memory needs a free descriptor; without one the server goes on.
    }
  }, milliseconds)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
