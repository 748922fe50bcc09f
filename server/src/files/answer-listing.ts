import { keyOf, type Limits } from '../access/limits.ts'
import type { UserContext, VisitorContext } from '../access/routes.ts'
import type { Permit } from '../concurrency/limit.ts'
import { jsonHeaders } from '../http/answers.ts'
import { compressed, compressedStream } from '../http/compress.ts'
import { isKnown } from '../http/downloads.ts'
import { buffered } from '../http/output-buffer.ts'
import type { LargeListingPermit } from './browse.ts'

/**
 * Answers with the pieces of a folder's text. What fits into one piece is sent with its length and a tag, so that a
 * client that has it asks again at little cost. The entries of a larger
 * folder are held by a few at a time, and not until a slow client has taken the last of them: see output-buffer.ts.
 */
export async function answerListing(
  context: UserContext | VisitorContext,
  { listings }: Pick<Limits, 'listings'>,
  list: (large: LargeListingPermit) => Promise<Generator<string> | Response>,
): Promise<Response> {
  const { request } = context
  let place: Permit | undefined
  const leave = () => place?.[Symbol.dispose]()
  try {
    const pieces = await list({
      tryAcquire() {
        place = listings.tryEnter(keyOf(context))
        return place !== undefined
      },
      async acquire() {
        place = await listings.enter(keyOf(context), request)
      },
    })
    // No folder after all.
    if (pieces instanceof Response) return pieces
    const first = pieces.next().value ?? ''
    const second = pieces.next()
    if (second.done) {
      leave()
      // Weak: the bytes of the answer depend on the compression, too.
      const version = `"${Bun.hash(first).toString(36)}"`
      const headers = { ...jsonHeaders, etag: `W/${version}` }
      return isKnown(request, version)
        ? new Response(null, { status: 304, headers })
        : compressed(first, context, headers)
    }
    if (request.method === 'HEAD') {
      leave()
      // The runtime would say that an answer of unknown length has none at all.
      return new Response(null, { headers: { ...jsonHeaders, 'transfer-encoding': 'chunked' } })
    }
    const { signal } = request
    signal.throwIfAborted()
    const stop = new AbortController()
    const kept = buffered(chain([first, second.value], pieces), {
      // Where others wait for the place, nobody is waited for.
      after: listings.waiting > 0 ? 0 : moment,
      drained: leave,
      evicted(error) {
        context.report(error)
        stop.abort(error)
      },
    })
    signal.addEventListener('abort', () => {
      void kept.return?.()
      stop.abort(signal.reason)
    })
    return compressedStream(kept, context, jsonHeaders, stop.signal)
  } catch (error) {
    leave()
    throw error
  }
}

/** In milliseconds. Over a fast connection the largest folder is taken by then, and nothing had to be kept. */
const moment = 1000

function* chain(first: Iterable<string>, rest: Iterable<string>): Generator<string> {
  yield* first
  yield* rest
}
