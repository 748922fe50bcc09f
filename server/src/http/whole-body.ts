/** In bytes: up to here the runtime itself sends an answer at once. */
const gathered = 15 * 1024
/** In bytes: the runtime holds a copy of so much until it is sent; of more, the headers are a small part. */
const mostCopied = 256 * 1024

/**
 * A body that is there as a whole; its bytes may change afterwards. Where it is answered after the turn in which its request
 * came, the runtime makes a system call for each name, each value and each line end of the headers, forty in all, which takes
 * nine tenths of the time. Out of a stream that has room for all of it the same body leaves in one call with the headers, and
 * with its length. An answer to HEAD gets its length only from a body that is no stream.
 */
export function wholeBody(
  body: string | Uint8Array,
  { method }: Pick<Request, 'method'>,
): string | Uint8Array | ReadableStream<Uint8Array> {
  const length = Buffer.byteLength(body)
  if (length < gathered || length > mostCopied || method === 'HEAD') return body
  const copy = typeof body === 'string' ? body : body.slice()
  const source: Bun.DirectUnderlyingSource<Uint8Array> = {
    type: 'direct',
    pull(controller) {
      controller.write(copy)
      controller.end()
    },
  }
  return new ReadableStream(source, { highWaterMark: length + 1 })
}
