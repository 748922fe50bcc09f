import { Failure } from '../failure.ts'
import type { RequestContext } from './request.ts'

/** Enough for the names of a hundred thousand files. */
const formLimit = 8 << 20

/** Comes with the head of its request, mostly, so a stream would be made for one piece. */
const smallBody = 4096

/** The body as it arrives. A slow sender is not cut off as long as bytes come. */
export async function* bytesOf(context: RequestContext): AsyncGenerator<Uint8Array> {
  const { request, connection } = context
  if (request.body === null) return
  try {
    const isSmall = (lengthOf(context) ?? Number.POSITIVE_INFINITY) <= smallBody
    for await (const piece of isSmall ? [await request.bytes()] : request.body) {
      connection.keepAlive()
      connection.received?.(piece.length)
      yield piece
    }
    connection.keepAliveUntilAnswered()
  } catch (cause) {
    throw new Failure('incomplete', 'the connection ended before everything had arrived', { cause })
  }
}

/** How many bytes the sender announced, if it did. */
export function lengthOf({ request }: RequestContext): number | undefined {
  const header = request.headers.get('content-length')
  return header === null ? undefined : Number(header)
}

/** A form while it comes in. */
export interface Form {
  /** The first value of a field that stands at the beginning of the form, before the rest has been read. */
  early(name: string): Promise<string | undefined>
  fields(): Promise<URLSearchParams>
}

/** No more of a form is read before its sender is known. */
const earlyLength = 8192
/** As many as its bytes hold names of a usual length. */
const mostFields = 100_000

export function formOf(context: RequestContext): Form {
  const reading = bytesOf(context)
  const pieces: Uint8Array[] = []
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
      pieces.push(value)
    }
  }

  return {
    async early(name) {
      if ((lengthOf(context) ?? 0) > formLimit) throw tooLarge(formLimit)
      await readUpTo(earlyLength)
      const text = Buffer.concat(pieces).toString('latin1', 0, earlyLength)
      // The last field may go on in what has not been read.
      const end = isWhole && size <= earlyLength ? text.length : text.lastIndexOf('&')
      return new URLSearchParams(text.slice(0, Math.max(end, 0))).get(name) ?? undefined
    },
    fields() {
      fields ??= readUpTo(Number.POSITIVE_INFINITY).then(() => {
        const body = Buffer.concat(pieces.splice(0))
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

/** A body that is held as a whole, and so has to be short. */
export async function textOf(context: RequestContext, limit: number): Promise<string> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of bytesOf(context)) {
    size += piece.length
    if (size > limit) throw tooLarge(limit)
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString()
}
