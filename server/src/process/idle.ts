/** In milliseconds, both. */
const idleAfter = 3000
const soon = 300

interface Idle {
  touched(): void
  /** For the end of a start, which needs much that no request does: requests that waited for it go first. */
  releaseSoon(): void
  stop(): void
}

/**
 * Calls `release` once after every busy period, to return memory to the system. The runtime collects garbage only when
 * it allocates: after one large listing an idle process would keep three times the memory it needs.
 */
export function onIdle(release: () => void, every = idleAfter): Idle {
  let isBusy = true
  let isReleased = false
  const releaseNow = () => {
    try {
      release()
    } catch {
      // Optional work: its failure must not end the server.
    }
  }
  const timer = setInterval(() => {
    if (!isBusy && !isReleased) {
      releaseNow()
      isReleased = true
    }
    isBusy = false
  }, every)
  timer.unref()
  return {
    touched() {
      isBusy = true
      isReleased = false
    },
    releaseSoon: () => void setTimeout(releaseNow, soon).unref(),
    stop: () => clearInterval(timer),
  }
}
