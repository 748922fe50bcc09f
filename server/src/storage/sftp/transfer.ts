import { type Handle, readPiece, writePiece } from './client.ts'
import { changed } from './failures.ts'

/** In bytes: so much of one file is under way at once. More than what a line holds is no faster. */
export const mostUnderWay = 2 * 1_048_576

/**
 * The bytes of an open file in their order. Several requests are under way, so that the time of a round trip is not lost for
 * each. A file that ends too early has been changed.
 */
export async function* readRange(
  handle: Handle,
  start: number,
  end: number,
  underWay = mostUnderWay,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const { piece } = handle.session
  const asked: {
    readonly at: number
    readonly length: number
    readonly bytes: Promise<Buffer<ArrayBuffer> | undefined>
  }[] = []
  const most = Math.max(1, Math.floor(underWay / piece))
  let next = start
  // The first bytes are often all that is wanted: the number of requests grows with what was taken.
  let allowed = Math.min(2, most)
  for (let at = start; at < end; ) {
    while (next < end && asked.length < allowed) {
      const length = Math.min(piece, end - next)
      const bytes = readPiece(handle, next, length)
      bytes.catch(() => {})
      asked.push({ at: next, length, bytes })
      next += length
    }
    const first = asked.shift()
    if (first === undefined) return
    const bytes = await first.bytes
    if (bytes === undefined || bytes.length === 0) throw changed()
    yield bytes
    at += bytes.length
    allowed = Math.min(most, allowed * 2)
    // A server may answer with fewer bytes.
    for (let missing = first.length - bytes.length; missing > 0; ) {
      const rest = await readPiece(handle, at, missing)
      if (rest === undefined || rest.length === 0) throw changed()
      yield rest
      at += rest.length
      missing -= rest.length
    }
  }
}

/**
 * Appends to an open file, with several requests under way. `acknowledged` is told up to where all bytes are on the server,
 * without a gap, also when it fails.
 */
export async function writeFrom(
  handle: Handle,
  start: number,
  bytes: AsyncIterable<Uint8Array>,
  acknowledged: (end: number) => void,
  underWay = mostUnderWay,
): Promise<number> {
  const { piece } = handle.session
  const asked: { readonly end: number; readonly done: Promise<void> }[] = []
  const most = Math.max(1, Math.floor(underWay / piece))
  let at = start
  let refusal: { readonly error: unknown } | undefined

  async function settleFirst(): Promise<void> {
    const first = asked.shift()
    if (first === undefined) return
    try {
      await first.done
      // What follows a piece that is missing does not count.
      if (refusal === undefined) acknowledged(first.end)
    } catch (error) {
      refusal ??= { error }
    }
  }

  async function send(part: Uint8Array): Promise<void> {
    while (asked.length >= most) await settleFirst()
    if (refusal !== undefined) throw refusal.error
    const done = writePiece(handle, at, part)
    done.catch(() => {})
    at += part.length
    asked.push({ end: at, done })
  }

  try {
    for await (const chunk of gathered(bytes, piece))
      for (let from = 0; from < chunk.length; from += piece) await send(chunk.subarray(from, from + piece))
  } finally {
    // Also after the sender has failed: what it sent before is kept.
    while (asked.length > 0) await settleFirst()
  }
  if (refusal !== undefined) throw refusal.error
  return at
}

/** Small pieces are put together, so that each request carries as much as it may. */
async function* gathered(bytes: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = []
  let length = 0
  const flush = (): Uint8Array => {
    const whole = waiting.length === 1 && waiting[0] !== undefined ? waiting[0] : Buffer.concat(waiting)
    waiting = []
    length = 0
    return whole
  }
  try {
    for await (const chunk of bytes) {
      if (chunk.length === 0) continue
      waiting.push(chunk)
      length += chunk.length
      if (length >= size) yield flush()
    }
  } catch (error) {
    if (length > 0) yield flush()
    throw error
  }
  if (length > 0) yield flush()
}
