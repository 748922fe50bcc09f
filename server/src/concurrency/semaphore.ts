export interface Semaphore {
  /** Waits until a permit is free, in the order of the calls. A caller whose signal aborts stops waiting. */
  acquire(signal?: AbortSignal): Promise<Release>
  /** Holds a permit while the work runs. */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>
}

/** Gives the permit back. Called exactly once. */
export type Release = () => void

/** At most so many permits are held at once; with one permit it is a mutex. `limitOf` bounds each client as well. */
export function semaphore(permits: number): Semaphore {
  const waiting = new Set<() => void>()
  let free = permits

  /** A permit that is waited for is handed on and never free in between. */
  function release(): void {
    const [next] = waiting
    if (next === undefined) free += 1
    else {
      waiting.delete(next)
      next()
    }
  }

  async function acquire(signal?: AbortSignal): Promise<Release> {
    signal?.throwIfAborted()
    if (free > 0) {
      free -= 1
      return release
    }
    await new Promise<void>((resolve, reject) => {
      const stopWaiting = () => {
        waiting.delete(begin)
        reject(signal?.reason)
      }
      const begin = () => {
        signal?.removeEventListener('abort', stopWaiting)
        resolve()
      }
      waiting.add(begin)
      signal?.addEventListener('abort', stopWaiting)
    })
    return release
  }

  return {
    acquire,
    async run(work, signal) {
      await acquire(signal)
      try {
        return await work()
      } finally {
        release()
      }
    },
  }
}
