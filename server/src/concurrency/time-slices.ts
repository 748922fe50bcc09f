import type { Cancellation } from './cancellation.ts'

/** Long tasks that have paused, in the order in which they continue. The event loop of a thread is one, so is this queue. */
const paused: (() => void)[] = []

/** One task continues in each turn of the event loop: several in one turn would keep short requests waiting for all of them. */
function continueNext(): void {
  paused.shift()?.()
  if (paused.length > 0) setImmediate(continueNext)
}

/** What other requests wait for while a long task runs: one turn of the event loop, or one for each task that paused before. */
export const yieldToLoop = (): Promise<void> =>
  new Promise((resolve) => {
    paused.push(resolve)
    if (paused.length === 1) setImmediate(continueNext)
  })

/** In milliseconds: so long may synchronous work block the event loop. */
const longestSlice = 5

/**
 * Called again and again during long work. Answers a promise when the time slice is over: it yields to the event loop, and
 * fails if the client has left.
 */
export function timeSlices(signal?: Cancellation): () => Promise<void> | undefined {
  let since = performance.now()
  const rest = async () => {
    await yieldToLoop()
    signal?.throwIfAborted()
    since = performance.now()
  }
  return () => (performance.now() - since > longestSlice ? rest() : undefined)
}

/** As `flatMap`, with pauses: for lists that are as long as accounts make them. */
export async function flatMapInSlices<In, Out>(
  items: Iterable<In>,
  work: (item: In) => readonly Out[],
  signal?: Cancellation,
): Promise<Out[]> {
  const pause = timeSlices(signal)
  const results: Out[] = []
  for (const item of items) {
    results.push(...work(item))
    const rest = pause()
    if (rest !== undefined) await rest
  }
  return results
}
