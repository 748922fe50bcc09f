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
/** At least so many milliseconds of work for each of collecting. */
const workPerCollection = 4

/**
 * Collects garbage as the resident memory grows. The runtime counts its own objects but not the buffers behind them, and
 * on a large machine it lets hundreds of megabytes of both accumulate.
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
    if (begun < notBefore || now < collectAbove || now < floor + worthwhileGrowth) return
    collect()
    floor = resident()
    const ended = performance.now()
    notBefore = ended + (ended - begun) * workPerCollection
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
