export interface Semaphore {
  /** Runs the work when a place is free, in the order of the calls. A caller whose signal aborts stops waiting. */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>
}

/** At most so many run at once. `limitOf` has a limit for each client as well. */
export function semaphore(places: number): Semaphore {
  const waiting = new Set<() => void>()
  let free = places

  async function enter(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted()
    if (free > 0) {
      free -= 1
      return
    }
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        waiting.delete(begin)
        reject(signal?.reason)
      }
      const begin = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      waiting.add(begin)
      signal?.addEventListener('abort', leave)
    })
  }

  /** A place that is waited for is handed on and never free in between. */
  function leave(): void {
    const [next] = waiting
    if (next === undefined) free += 1
    else {
      waiting.delete(next)
      next()
    }
  }

  return {
    async run(work, signal) {
      await enter(signal)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
