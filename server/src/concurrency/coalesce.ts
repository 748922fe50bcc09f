/**
 * Runs one at a time; all calls that come while a run is under way share the next one. The run under way is not enough for
 * them, for it may have begun before what they want it to cover. This is how many commits share one fsync.
 */
export function coalesce(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const start = (): Promise<void> => {
    running = run().finally(() => {
      running = undefined
    })
    return running
  }
  return () => {
    if (next !== undefined) return next
    if (running === undefined) return start()
    next = running
      .catch(() => {})
      .then(() => {
        next = undefined
        return start()
      })
    return next
  }
}
