import type { Cancellation } from './cancellation.ts'

/** What other requests wait for while a long job runs: one turn of the event loop. */
export const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** For so many milliseconds at a time work without a pause of its own may keep the event loop for itself. */
const turn = 10

/** Asked again and again during long work: something to wait for when it is others' turn, which fails for those who left. */
export function pauses(signal?: Cancellation): () => Promise<void> | undefined {
  let since = performance.now()
  const rest = async () => {
    await breathe()
    signal?.throwIfAborted()
    since = performance.now()
  }
  return () => (performance.now() - since > turn ? rest() : undefined)
}
