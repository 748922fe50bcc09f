import { timeSlices } from '../concurrency/time-slices.ts'
import type { RequestContext } from './request.ts'

type Chunks = AsyncIterable<string | Uint8Array>

/** In milliseconds: shorter than the idle timeout of the runtime. */
const keepAliveEvery = 60_000
/** So old may be what is known of the rights of the client. */
const longestKnown = 1000

/**
 * A streamed body with backpressure: a chunk is made when the client has read the one before, and none once the client
 * has left. The signal ends the stream with an error, also while the client reads nothing.
 */
export function streamOf(context: RequestContext, chunks: Chunks, signal?: AbortSignal): ReadableStream<Uint8Array> {
  const bytes = watched(context, chunks)
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
 * The chunks as bytes, counted. An error is logged: the headers have been sent, so that the client only sees the
 * connection break.
 */
export function watched(context: RequestContext, chunks: Chunks): AsyncIterableIterator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  const { keepAlive } = context.connection
  const pause = timeSlices()
  let allowedAt = performance.now()
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      // A chunk can take long to make, and the client is not idle meanwhile.
      const making = setInterval(keepAlive, keepAliveEvery)
      try {
        // A client that reads as fast as chunks are made would keep the event loop busy until the end.
        const rest = pause()
        if (rest !== undefined) await rest
        const { done, value } = await iterator.next()
        keepAlive()
        if (performance.now() - allowedAt > longestKnown) {
          await context.requireStill()
          allowedAt = performance.now()
        }
        if (done) return { done, value: undefined }
        const bytes = typeof value === 'string' ? Buffer.from(value) : value
        context.sent(bytes.length)
        return { done: false, value: bytes }
      } catch (error) {
        context.report(error)
        // What is open for the chunks to come is closed, also where the last one was not refused by its maker.
        await iterator.return?.()
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

/** The reason of a signal as an Error; it can be any value. */
export const errorOf = ({ reason }: AbortSignal): Error =>
  reason instanceof Error ? reason : new Error(String(reason))
