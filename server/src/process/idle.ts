/** In milliseconds. */
const idleAfter = 3000

/**
 * Calls `release` once after every busy period, to return memory to the system. The runtime collects garbage only when
 * it allocates: after one large listing an idle process would keep three times the memory it needs.
 */
export function onIdle(release: () => void, every = idleAfter): { touched(): void; stop(): void } {
  let isBusy = true
  let isReleased = false
  const timer = setInterval(() => {
    if (!isBusy && !isReleased) {
      try {
        release()
      } catch {
        // Optional work: its failure must not end the server.
      }
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
    stop: () => clearInterval(timer),
  }
}
