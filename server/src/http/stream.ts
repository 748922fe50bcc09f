import { pauses } from '../concurrency/pauses.ts'
import type { RequestContext } from './request.ts'

type Pieces = AsyncIterable<string | Uint8Array>

/** In milliseconds: less than the runtime waits for the next byte. */
const keepAliveEvery = 60_000

/**
 * The body of an answer that goes out while it is made: a piece is made when the client takes it, and none once the client
 * is gone. The signal ends it with an error, also when the client takes nothing.
 */
export function streamOf(context: RequestContext, pieces: Pieces, signal?: AbortSignal): ReadableStream<Uint8Array> {
  const bytes = watched(context, pieces)
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        signal?.addEventListener('abort', () => {
          context.report(signal.reason)
          controller.error(errorOf(signal))
          void bytes.return?.().catch(() => {})
        })
      },
      async pull(controller) {
        const { done, value } = await bytes.next()
        if (signal?.aborted) return
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await bytes.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

/**
 * The pieces as bytes, counted. The status has been sent, so that the client only sees the connection break when an error
 * comes; the log tells why.
 */
export function watched(context: RequestContext, pieces: Pieces): AsyncIterableIterator<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  const { keepAlive } = context.connection
  const pause = pauses()
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      // A piece of a few bytes can take long to make; only a client that takes none of them is idle.
      const making = setInterval(keepAlive, keepAliveEvery)
      try {
        // A client that takes everything at once would keep the event loop to itself until the end of the answer.
        const rest = pause()
        if (rest !== undefined) await rest
        const { done, value } = await iterator.next()
        keepAlive()
        if (done) return { done, value: undefined }
        const bytes = typeof value === 'string' ? Buffer.from(value) : value
        context.sent(bytes.length)
        return { done: false, value: bytes }
      } catch (error) {
        context.report(error)
        throw error
      } finally {
        clearInterval(making)
      }
    },
    async return() {
      await iterator.return?.()
      return { done: true, value: undefined }
    },
  }
}

/** Streams are ended by an error; a signal may have been given any reason. */
export const errorOf = ({ reason }: AbortSignal): Error =>
  reason instanceof Error ? reason : new Error(String(reason))
