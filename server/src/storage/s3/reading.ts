import { Failure } from '../../failure.ts'
import type { Client } from './client.ts'
import { rangeOf } from './objects.ts'
import { isRefusal } from './refusal.ts'

interface Part {
  readonly key: string
  readonly etag: string
  readonly start: number
  readonly end: number
}

/** In milliseconds: a connection whose reader has paused for so long is given to others. */
const longestPause = 20_000
/** In milliseconds: a server that sends nothing for so long is asked anew. */
const longestSilence = 30_000
/** Without a byte in between. */
const mostBreaks = 4

/** The bytes of a part of an object. Where the connection breaks, or was given up, it goes on with the next byte. */
export function readObject(client: Client, { key, etag, start, end }: Part): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = start
  let source: Source | undefined
  let breaks = 0
  let pause: Timer | undefined

  const leave = async () => {
    clearTimeout(pause)
    const left = source
    source = undefined
    await left?.close()
  }

  async function next(): Promise<Uint8Array<ArrayBuffer>> {
    for (;;) {
      try {
        source ??= await openAt(client, key, etag, at, end)
        const piece = await source.read()
        if (piece === undefined) throw new Error('the answer broke off')
        return piece
      } catch (error) {
        await leave()
        if (isRefusal(error, 412, 404)) throw new Failure('changed-meanwhile', 'The file was changed meanwhile')
        breaks += 1
        if (error instanceof Failure || breaks > mostBreaks) throw asFailure(error)
      }
    }
  }

  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        clearTimeout(pause)
        if (at >= end) return controller.close()
        const piece = await next()
        breaks = 0
        at += piece.length
        controller.enqueue(piece)
        if (at >= end) {
          await leave()
          controller.close()
        } else pause = setTimeout(() => void leave(), longestPause)
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  )
}

interface Source {
  read(): Promise<Uint8Array<ArrayBuffer> | undefined>
  close(): Promise<void>
}

async function openAt(client: Client, key: string, etag: string, start: number, end: number): Promise<Source> {
  const headers = { range: rangeOf(start, end), 'if-match': `"${etag}"` }
  const { response, close } = await client.open({ method: 'GET', key, headers })
  const reader = response.body?.getReader()
  if (response.status !== 206 && start > 0) {
    await reader?.cancel().catch(() => {})
    close()
    throw new Failure('unavailable', 'The object storage sends no parts of files')
  }
  let left = end - start
  return {
    async read() {
      const piece = await inTime(reader?.read())
      // Without a range the answer may be longer.
      const value = piece?.value?.subarray(0, left)
      left -= value?.length ?? 0
      return value
    },
    async close() {
      close()
      await reader?.cancel().catch(() => {})
    },
  }
}

async function inTime<T>(work: Promise<T> | undefined): Promise<T | undefined> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('nothing came for a while')), longestSilence)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

const asFailure = (error: unknown): Failure =>
  error instanceof Failure
    ? error
    : new Failure('unavailable', 'The object storage does not answer; try again later', { cause: error })
