/** In milliseconds, both. */
const idleAfter = 3000
const soon = 300

interface Idle {
  touched(): void
  /** For the end of a start, which needs much that no request does: requests that waited for it go first. */
  releaseSoon(): void
  stop(): void
}

interface IdleOptions {
  every?: number
  /** The memory of the process, in bytes. */
  resident?: () => number
}

/** In bytes: more than what comes back by itself after a release, because it is in use. */
const worthwhileGrowth = 8_000_000

/**
 * Calls `release` once after every busy period, to return memory to the system. The runtime collects garbage only when
 * it allocates: after one large listing an idle process would keep three times the memory it needs. What the server does
 * by itself takes memory as well: when threads without work end, pages of the program come back that nothing else needs.
 */
export function onIdle(
  release: () => void,
  { every = idleAfter, resident = () => process.memoryUsage.rss() }: IdleOptions = {},
): Idle {
  let isBusy = true
  /** What was left after the last release; undefined while there was none since the last request. */
  let left: number | undefined
  const releaseIf = (isWorthwhile: () => boolean) => {
    try {
      if (!isWorthwhile()) return
      release()
      left = resident()
    } catch {
      // Optional work: its failure must not end the server.
      left = Number.POSITIVE_INFINITY
    }
  }
  const timer = setInterval(() => {
    if (!isBusy) releaseIf(() => left === undefined || resident() > left + worthwhileGrowth)
    isBusy = false
  }, every)
  timer.unref()
  return {
    touched() {
      isBusy = true
      left = undefined
    },
    releaseSoon: () => void setTimeout(() => releaseIf(() => true), soon).unref(),
    stop: () => clearInterval(timer),
  }
}
