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
  /** Processor time of the process so far, in microseconds. */
  worked?: () => number
}

/** In bytes: more than what comes back by itself after a release, because it is in use. */
const worthwhileGrowth = 8_000_000

/** The part of a processor that a server takes at most without work. */
const mostAtRest = 0.1

function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/**
 * Calls `release` once after every busy period, to return memory to the system. The runtime collects garbage only when
 * it allocates: after one large listing an idle process would keep three times the memory it needs. What the server does
 * by itself takes memory as well: when threads without work end, pages of the program come back that nothing else needs.
 */
export function onIdle(
  release: () => void,
  { every = idleAfter, resident = () => process.memoryUsage.rss(), worked = processorTime }: IdleOptions = {},
): Idle {
  let isBusy = true
  let workedBefore = 0
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
  /** A job works without requests, and needs what it has taken. */
  const isAtRest = () => {
    const [before, now] = [workedBefore, worked()]
    workedBefore = now
    return now - before < every * 1000 * mostAtRest
  }
  const timer = setInterval(() => {
    const hasGrown = () => isAtRest() && resident() > (left ?? 0) + worthwhileGrowth
    if (!isBusy) releaseIf(() => left === undefined || hasGrown())
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
