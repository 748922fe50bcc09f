import { isSortKey, type Sorting, sortingHeader } from '@filestead/contract'
import { keyOf, type Limits } from '../access/limits.ts'
import type { UserContext, VisitorContext } from '../access/routes.ts'
import type { Permit } from '../concurrency/limit.ts'
import { jsonHeaders } from '../http/answers.ts'
import { compressed, compressedStream } from '../http/compress.ts'
import { isKnown } from '../http/downloads.ts'
import { buffered } from '../http/output-buffer.ts'
import type { LargeListing, ListingText } from './listing-text.ts'

/**
 * Answers with the text of a folder. That of a small one is sent with its length and a tag, so that a client that has it
 * asks again at little cost. The names of a large one, which comes in pieces, are held for a few requests at a time, and
 * not until a slow client has taken the last of them: see output-buffer.ts.
 */
export async function answerListing(
  context: UserContext | VisitorContext,
  { listings }: Pick<Limits, 'listings'>,
  list: (enterLarge: () => Promise<void>) => Promise<ListingText | LargeListing | Response>,
): Promise<Response> {
  const { request } = context
  let place: Permit | undefined
  const leave = () => place?.[Symbol.dispose]()
  try {
    const listed = await list(async () => {
      place ??= await listings.enter(keyOf(context), request)
    })
    // No folder after all.
    if (listed instanceof Response) return listed
    if ('text' in listed) {
      leave()
      const { text, version } = listed
      // Weak: the bytes of the answer depend on the compression, too.
      const headers = { ...jsonHeaders, etag: `W/${version}` }
      return isKnown(request, version)
        ? new Response(null, { status: 304, headers })
        : compressed(text, context, headers)
    }
    const { pieces, sorting } = listed
    const headers = { ...jsonHeaders, ...(sorting && sortingTold(sorting)) }
    if (request.method === 'HEAD') {
      leave()
      // The runtime would say that an answer of unknown length has none at all.
      return new Response(null, { headers: { ...headers, 'transfer-encoding': 'chunked' } })
    }
    const { signal } = request
    // What is refused now still has a status of its own.
    const first = await pieces.next()
    signal.throwIfAborted()
    const stop = new AbortController()
    const kept = buffered(first.done ? pieces : chain(first.value, pieces), {
      // While other listings wait for the place, a slow client keeps it for no moment.
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
    return compressedStream(kept, context, headers, stop.signal)
  } catch (error) {
    leave()
    throw error
  }
}

/** A client that shows the first entries of a folder has to know their order before it has them all. */
const sortingTold = ({ by, asc }: Sorting) => isSortKey(by) && { [sortingHeader]: JSON.stringify({ by, asc }) }

/** In milliseconds. Over a fast connection the largest folder is taken by then, and nothing had to be kept. */
const moment = 1000

async function* chain<T>(first: T, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  yield first
  yield* rest
}
