import { ApiError } from '../../server/client.ts'
import { stallWatch } from '../../server/stall-watch.ts'

/**
 * On a half-dead connection a request hangs without end. It counts as lost when the server does not answer elsewhere
 * either; one that the server takes its time for does not.
 */
export async function untilStalled<Answer>(
  work: (signal: AbortSignal) => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  const over = new AbortController()
  const watch = stallWatch()
  watch.noteSent()
  const stalled = watch.stalled.then((): never => {
    throw new ApiError(0, '000 No answer')
  })
  try {
    return await Promise.race([work(AbortSignal.any([signal, over.signal])), stalled])
  } finally {
    watch.stop()
    over.abort()
  }
}
