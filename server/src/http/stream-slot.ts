import type { Limit, Permit } from '../concurrency/limit.ts'
import { Failure } from '../failure.ts'

/** A slot in a limit, held by an answer that is streamed after its headers were sent. */
export interface StreamSlot {
  /** Aborted when the client has left, or reads nothing while other requests wait for the slot. */
  readonly signal: AbortSignal
  /** A chunk is ready: from now on it is the client that is waited for. */
  touch(): void
  /** A chunk is being made: the client is not to blame for the time it takes. */
  work(): void
  /** Calls `work` once, when the answer has ended or was aborted. */
  whenOver(work: () => void): void
  /** Releases the slot. Idempotent. */
  end(): void
  /** Logs why the answer broke off: the client only sees the connection end. */
  failed(error: unknown): void
}

/** Waits for a slot in a limit, counted for `key`, and holds it until the answer has ended. */
export async function acquireStreamSlot(
  limit: Limit,
  key: string,
  { request, report }: { request: Request; report(error: unknown): void },
): Promise<StreamSlot> {
  request.signal.throwIfAborted()
  const stop = new AbortController()
  const place = await limit.enter(key, request, () => stop.abort(clientStalled()))
  return { ...slotWith(place, request, stop), failed: report }
}

function slotWith(place: Permit, { signal }: Request, stop: AbortController): Omit<StreamSlot, 'failed'> {
  const works: (() => void)[] = [() => place[Symbol.dispose]()]
  const left = () => stop.abort(signal.reason)
  const end = () => {
    signal.removeEventListener('abort', left)
    for (const work of works.splice(0)) work()
  }
  stop.signal.addEventListener('abort', end)
  signal.addEventListener('abort', left)
  if (signal.aborted) left()
  return {
    signal: stop.signal,
    touch: place.touch,
    work: place.work,
    whenOver(work) {
      if (stop.signal.aborted) work()
      else works.push(work)
    },
    end,
  }
}

const clientStalled = () => new Failure('incomplete', 'Nothing was taken for a while, and others waited')

/** Passes the chunks on, and releases the slot after the last one or an error. */
export function holdingSlot<T>(
  chunks: AsyncIterable<T>,
  { touch, work, end, failed, signal }: StreamSlot,
): AsyncIterableIterator<T> {
  const iterator = chunks[Symbol.asyncIterator]()
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      try {
        signal.throwIfAborted()
        work()
        const result = await iterator.next()
        touch()
        if (result.done) end()
        return result
      } catch (error) {
        end()
        failed(error)
        throw error
      }
    },
    async return() {
      end()
      await iterator.return?.()
      return { done: true, value: undefined }
    },
  }
}
