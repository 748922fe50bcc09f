import type { UserContext } from '../access/routes.ts'
import { plainHeaders } from '../http/answers.ts'
import type { Listener } from './listener.ts'

/** Proxies neither keep it back nor compress it, which keeps it back as well. */
export const streamHeaders = {
  ...plainHeaders,
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** The stream of a listener: what waits is sent when the client has taken what came before. */
export function answerStream(context: UserContext, listen: (ended: Ended) => Promise<Listener>): Promise<Response> {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const ended: Ended = (reason) => {
    // The end of a stream that is not read would wait for its reader.
    if (reason === 'stalled') controller?.error(new Error('The client has stopped reading'))
  }
  return listen(ended).then((listener) => {
    // A client that has left before the answer began is told by nothing else.
    const { signal } = context.request
    signal.addEventListener('abort', () => listener.end())
    if (signal.aborted) listener.end()
    const body = new ReadableStream<Uint8Array>(
      {
        start(own) {
          controller = own
        },
        async pull(own) {
          const text = await listener.next()
          if (text === undefined) return own.close()
          const bytes = Buffer.from(text)
          context.sent(bytes.length)
          context.connection.keepAlive()
          own.enqueue(bytes)
        },
        cancel: () => listener.end(),
      },
      { highWaterMark: 0 },
    )
    return new Response(body, { headers: streamHeaders })
  })
}

type Ended = (reason: 'over' | 'stalled') => void
