import { type Semaphore, semaphore } from '../../concurrency/semaphore.ts'
import type { S3Address } from '../address.ts'
import { textIn } from './answers.ts'
import { isWord, refusalIn, S3Refusal } from './refusal.ts'
import {
  canonicalQuery,
  emptyPayload,
  encoded,
  encodedPath,
  type S3Keys,
  type Signable,
  signedHeaders,
  signedQuery,
  unsignedPayload,
} from './signing.ts'

/** Where a bucket is, and the part of it that is served. */
export type S3Place = Pick<S3Address, 'endpoint' | 'bucket' | 'prefix' | 'region' | 'isPathStyle'>

export interface ClientOptions {
  readonly place: S3Place
  readonly keys: () => Promise<S3Keys>
  /** Calls at once; others wait. */
  readonly connections?: number | undefined
  readonly tries?: number | undefined
  /** In milliseconds: the first pause before another try. Later ones are longer. */
  readonly pause?: number | undefined
  /** In milliseconds: so long a server may be silent. */
  readonly patience?: number | undefined
}

export interface Call {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Of the bucket itself, if it is not given. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: Uint8Array<ArrayBuffer>
  /** A second call after a first whose answer was lost does no harm. Else the refusal `isUncertain`, and the caller looks. */
  readonly isRepeatable?: boolean
  /** In milliseconds, for what takes a server long. Many send a space now and then while they work: then it begins anew. */
  readonly patience?: number
  /** Called at each of them. */
  readonly moved?: (() => void) | undefined
  readonly signal?: AbortSignal
}

/** An answer whose body is not read yet. */
interface Opened {
  readonly response: Response
  /** Called once, when the body was read or is not wanted. */
  close(): void
}

export interface Client {
  /** Has the answer read by `take`; a refusal is thrown. */
  call<T>(call: Call, take: (response: Response) => T | Promise<T>): Promise<T>
  /** An answer that is read for as long as it takes. */
  open(call: Call): Promise<Opened>
  /** An address that holds for so many seconds. */
  addressOf(key: string, query: Readonly<Record<string, string>>, seconds: number): Promise<string>
  readonly host: string
  close(): void
}

/** So slow a server may take or give bytes, for each second beyond its patience. */
const leastPerSecond = 64 * 1024

/** In milliseconds: signs of life prolong no call beyond it. */
const longestWork = 86_400_000

export function s3Client(options: ClientOptions): Client {
  const { place, tries = 5, pause = 200, patience = 15_000 } = options
  const calls = semaphore(options.connections ?? 64)
  // Slow readers give their connection back from time to time. The runtime has 256 connections for all of its requests.
  const streams = semaphore((options.connections ?? 64) * 2)
  /** Those under way, which end with the client. */
  const active = new Set<AbortController>()
  const ended = new AbortController()
  const { origin, protocol, host: endpointHost } = new URL(place.endpoint)
  const host = place.isPathStyle ? endpointHost : `${place.bucket}.${endpointHost}`
  const base = place.isPathStyle ? origin : `${protocol}//${host}`
  let known: Promise<S3Keys> | undefined
  /** How far the clock of the server is ahead, in milliseconds. */
  let ahead = 0

  async function keysNow(): Promise<S3Keys> {
    known ??= options.keys()
    try {
      return await known
    } catch (error) {
      known = undefined
      throw error
    }
  }

  /** Have they been replaced since they were last read? */
  async function hasNewKeys(): Promise<boolean> {
    const before = await keysNow()
    known = undefined
    const now = await keysNow()
    return now.accessKeyId !== before.accessKeyId || now.secretAccessKey !== before.secretAccessKey
  }

  const pathOf = (key: string | undefined): string =>
    `${place.isPathStyle ? `/${encoded(place.bucket)}` : ''}${key === undefined ? (place.isPathStyle ? '' : '/') : `/${encodedPath(key)}`}`

  const signable = ({ method, key, query = {}, headers = {} }: Call): Signable => ({
    method,
    host,
    path: pathOf(key),
    query: Object.entries(query),
    headers: Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
  })

  /** One try: the answer, if it is a success. The deadline goes on until `close`. */
  async function attempt(call: Call): Promise<Opened> {
    const request = signable(call)
    const payload = await payloadOf(call.body, protocol)
    const signing = { keys: await keysNow(), region: place.region, at: new Date(Date.now() + ahead) }
    const headers = signedHeaders(request, payload, signing)
    const query = canonicalQuery(request.query)
    const abort = new AbortController()
    const time = (call.patience ?? patience) + ((call.body?.length ?? 0) / leastPerSecond) * 1000
    const giveUp = () => abort.abort(new Error('no answer in time'))
    let timer = setTimeout(giveUp, time)
    const end = performance.now() + longestWork
    const alive = () => {
      if (performance.now() > end) return
      clearTimeout(timer)
      timer = setTimeout(giveUp, time)
      call.moved?.()
    }
    const leave = () => abort.abort(call.signal?.reason)
    call.signal?.addEventListener('abort', leave)
    active.add(abort)
    const close = () => {
      clearTimeout(timer)
      call.signal?.removeEventListener('abort', leave)
      active.delete(abort)
    }
    try {
      if (ended.signal.aborted) throw ended.signal.reason
      const response = await fetch(`${base}${request.path}${query === '' ? '' : `?${query}`}`, {
        method: call.method,
        // As they are stored, whatever they are encoded in.
        headers: { ...headers, 'accept-encoding': 'identity' },
        decompress: false,
        redirect: 'manual',
        signal: abort.signal,
        ...(call.body !== undefined && { body: call.body }),
      })
      if (response.ok) return { response: call.patience === undefined ? response : watched(response, alive), close }
      throw refusalIn(response, await textIn(response))
    } catch (error) {
      close()
      if (error instanceof S3Refusal) throw error
      call.signal?.throwIfAborted()
      throw new S3Refusal(0, 'no answer', { cause: error })
    }
  }

  /** Tries again what may succeed then, and lets go of the permit in between. */
  async function persist<T>(call: Call, permits: Semaphore, once: () => Promise<T>): Promise<T> {
    let mayAskForKeys = true
    const end = performance.now() + (call.patience ?? patience) * 2
    for (let round = 1; ; round += 1) {
      try {
        return await permits.run(once, call.signal)
      } catch (error) {
        if (!(error instanceof S3Refusal) || ended.signal.aborted) throw error
        if (isWord(error, 'RequestTimeTooSkewed') && error.date !== undefined) ahead = error.date - Date.now()
        const isRefused = error.status === 403 && error.word !== 'RequestTimeTooSkewed'
        if (isRefused && mayAskForKeys) {
          mayAskForKeys = false
          if (await hasNewKeys()) continue
        }
        const isSafe = call.isRepeatable !== false || !error.isUncertain
        const isOver = round >= tries || performance.now() > end
        if (!error.isPassing || !isSafe || isOver) throw error
        await sleep(pause * 2 ** (round - 1) * (0.5 + Math.random()), ended.signal)
      }
    }
  }

  return {
    host,
    call: (call, take) =>
      persist(call, calls, async () => {
        const { response, close } = await attempt(call)
        try {
          return await take(response)
        } catch (error) {
          if (error instanceof S3Refusal) throw error
          throw new S3Refusal(0, 'the answer broke off', { cause: error })
        } finally {
          close()
        }
      }),
    async open(call) {
      const release = await streams.acquire(call.signal)
      try {
        const { response, close } = await persist(call, calls, () => attempt(call))
        // The patience was for the beginning of the answer: how long the rest takes, its reader decides.
        close()
        return { response, close: release }
      } catch (error) {
        release()
        throw error
      }
    },
    async addressOf(key, query, seconds) {
      const request = signable({ method: 'GET', key, query })
      const signing = { keys: await keysNow(), region: place.region, at: new Date(Date.now() + ahead) }
      return `${base}${request.path}?${signedQuery(request, seconds, signing)}`
    },
    close() {
      ended.abort(new Error('the mount was closed'))
      for (const abort of active) abort.abort(ended.signal.reason)
    },
  }
}

/** Tells of each piece of the body. */
function watched(response: Response, alive: () => void): Response {
  const { status, headers } = response
  const watch = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      alive()
      controller.enqueue(piece)
    },
  })
  return new Response(response.body?.pipeThrough(watch) ?? null, { status, headers })
}

/** TLS keeps the bytes from being changed on their way; without it they are signed as well. */
async function payloadOf(body: Uint8Array<ArrayBuffer> | undefined, protocol: string): Promise<string> {
  if (body === undefined || body.length === 0) return emptyPayload
  if (protocol === 'https:') return unsignedPayload
  return Buffer.from(await crypto.subtle.digest('SHA-256', body)).toString('hex')
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  const wake = () => resolve()
  signal.addEventListener('abort', wake)
  return promise.finally(() => {
    clearTimeout(timer)
    signal.removeEventListener('abort', wake)
  })
}
