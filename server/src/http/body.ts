import { yieldToLoop } from '../concurrency/time-slices.ts'
import { Failure } from '../failure.ts'
import type { RequestContext } from './request.ts'

/** In bytes: enough for the names of a hundred thousand files. */
const formLimit = 8 << 20

/** In bytes: a body that mostly arrives with the headers, so that a stream would have one chunk. */
const smallBody = 4096

/** In bytes: a chunk that is not worth what it costs to handle it. */
const smallChunk = 4096

/** The chunks of the body. Each restarts the idle timeout, so that a slow sender is not cut off. */
export async function* bytesOf(context: RequestContext): AsyncGenerator<Uint8Array> {
  const { request, connection } = context
  if (request.body === null) return
  try {
    const isSmall = (lengthOf(context) ?? Number.POSITIVE_INFINITY) <= smallBody
    for await (const chunk of isSmall ? [await request.bytes()] : inFewChunks(request.body)) {
      connection.keepAlive()
      connection.received?.(chunk.length)
      yield chunk
    }
    connection.keepAliveUntilAnswered()
  } catch (cause) {
    throw new Failure('incomplete', 'the connection ended before everything had arrived', { cause })
  }
}

/**
 * A sender may cut a body into chunks of one byte, all of which arrive at once. What comes during a turn of the event loop is
 * one chunk here, so that no number of them keeps other requests waiting.
 */
async function* inFewChunks(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    yield chunk
    if (chunk.length < smallChunk) await yieldToLoop()
  }
}

/** The Content-Length, if there is one. */
export function lengthOf({ request }: RequestContext): number | undefined {
  const header = request.headers.get('content-length')
  return header === null ? undefined : Number(header)
}

/** A form while it arrives. */
export interface Form {
  /** The first value of a field near the beginning of the form, read without the rest. */
  early(name: string): Promise<string | undefined>
  fields(): Promise<URLSearchParams>
}

/** In bytes: as much of a form is read before its sender is authenticated. */
const earlyLength = 8192
const mostFields = 100_000

export function formOf(context: RequestContext): Form {
  const reading = bytesOf(context)
  const chunks: Uint8Array[] = []
  let size = 0
  let isWhole = false
  let fields: Promise<URLSearchParams> | undefined

  async function readUpTo(length: number): Promise<void> {
    while (!isWhole && size < length) {
      const { done, value } = await reading.next()
      if (done) {
        isWhole = true
        return
      }
      size += value.length
      if (size > formLimit) throw tooLarge(formLimit)
      chunks.push(value)
    }
  }

  return {
    async early(name) {
      if ((lengthOf(context) ?? 0) > formLimit) throw tooLarge(formLimit)
      await readUpTo(earlyLength)
      const text = Buffer.concat(chunks).toString('latin1', 0, earlyLength)
      // The last field may be cut off.
      const end = isWhole && size <= earlyLength ? text.length : text.lastIndexOf('&')
      return new URLSearchParams(text.slice(0, Math.max(end, 0))).get(name) ?? undefined
    },
    fields() {
      fields ??= readUpTo(Number.POSITIVE_INFINITY).then(() => {
        const body = Buffer.concat(chunks.splice(0))
        requireFewFields(body)
        return new URLSearchParams(body.toString())
      })
      return fields
    },
  }
}

/** Counted before they are parsed: eight million fields would block the event loop. */
function requireFewFields(body: Buffer): void {
  let count = 1
  for (let at = body.indexOf('&'); at !== -1 && count <= mostFields; at = body.indexOf('&', at + 1)) count += 1
  if (count > mostFields) throw new Failure('too-large', `The form has more than ${mostFields} fields`)
}

const tooLarge = (limit: number) => new Failure('too-large', `The request is larger than ${limit >> 20} MiB`)

/** The whole body as text, up to `limit` bytes. */
export async function textOf(context: RequestContext, limit: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of bytesOf(context)) {
    size += chunk.length
    if (size > limit) throw tooLarge(limit)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
