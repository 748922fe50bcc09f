const pause = 3000

/**
 * Gives memory back to the system once no request has come for a while. The runtime collects only what it has
 * to; after one large listing it would sit on three times what it needs, for as long as it has nothing to do.
 */
export function whenIdle(rest: () => void, every = pause): { touched(): void; stop(): void } {
  let isFresh = true
  let isRested = false
  const timer = setInterval(() => {
    if (!isFresh && !isRested) {
      try {
        rest()
      } catch {
        // To give memory back is a courtesy; that it cannot be done now must not end the server.
      }
      isRested = true
    }
    isFresh = false
  }, every)
  timer.unref()
  return {
    touched() {
      isFresh = true
      isRested = false
    },
    stop: () => clearInterval(timer),
  }
}
