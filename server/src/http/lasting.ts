import type { Limit, Permit } from '../concurrency/limit.ts'
import { Failure } from '../failure.ts'

/** A place for an answer that goes on after its first byte. */
export interface Lasting {
  /** Aborted when the client has left, or takes nothing while others wait. */
  readonly signal: AbortSignal
  /** Something was made, and waits for the client to take it. */
  touch(): void
  /** The client waits for what is being made. */
  work(): void
  /** Called once, when the answer is over in whatever way. */
  whenOver(work: () => void): void
  /** The answer is over; doing so twice is fine. */
  end(): void
  /** The answer breaks off: the client sees only that, so the log tells why. */
  failed(error: unknown): void
}

/** Waits for a place in a limit, counted for `key`, and holds it until the answer is over. */
export async function lastingIn(
  limit: Limit,
  key: string,
  { request, report }: { request: Request; report(error: unknown): void },
): Promise<Lasting> {
  request.signal.throwIfAborted()
  const stop = new AbortController()
  const place = await limit.enter(key, request, () => stop.abort(stoodStill()))
  return { ...lastingAt(place, request, stop), failed: report }
}

function lastingAt(place: Permit, { signal }: Request, stop: AbortController): Omit<Lasting, 'failed'> {
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

const stoodStill = () => new Failure('incomplete', 'Nothing was taken for a while, and others waited')

/** Passes pieces on, and ends the place with the last of them. */
export function heldFor<T>(
  pieces: AsyncIterable<T>,
  { touch, work, end, failed, signal }: Lasting,
): AsyncIterableIterator<T> {
  const iterator = pieces[Symbol.asyncIterator]()
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
