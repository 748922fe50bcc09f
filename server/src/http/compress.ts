import { Readable } from 'node:stream'
import { constants, createGzip, createZstdCompress } from 'node:zlib'
import { pauses } from '../concurrency/pauses.ts'
import { flowing, sized } from './flow.ts'

const worthwhile = 1024

type Encoding = 'zstd' | 'gzip'

/** A text answer, smaller on the wire when the client can read that. */
export function compressed(text: string, request: Request, headers: Record<string, string>): Response {
  const encoding = text.length < worthwhile ? undefined : encodingFor(request)
  if (encoding === undefined) return sized(new Response(text, { headers }), Buffer.byteLength(text))
  const bytes = Buffer.from(text)
  const body = encoding === 'zstd' ? Bun.zstdCompressSync(bytes, { level: 1 }) : Bun.gzipSync(bytes, { level: 1 })
  return sized(new Response(body, { headers: withEncoding(headers, encoding) }), body.length)
}

/**
 * The same for a text that is too long to hold: its pieces go out as they are made. The signal ends it with an error,
 * also when the client takes nothing and nobody would notice.
 */
export function compressedStream(
  pieces: AsyncIterable<string>,
  request: Request,
  headers: Record<string, string>,
  signal?: AbortSignal,
): Response {
  const encoding = encodingFor(request)
  return flowing((made) => {
    const told = counted(pieces, made)
    if (encoding === undefined) return new Response(streamOf(told, signal), { headers })
    return packedStream(told, encoding, headers, signal)
  })
}

function packedStream(
  pieces: AsyncIterable<string>,
  encoding: Encoding,
  headers: Record<string, string>,
  signal: AbortSignal | undefined,
): Response {
  const source = Readable.from(encoded(pieces), { objectMode: false })
  const packed = encoding === 'zstd' ? createZstdCompress(fastZstd) : createGzip({ level: 1 })
  source.on('error', (error) => packed.destroy(error))
  packed.on('close', () => source.destroy())
  signal?.addEventListener('abort', () => packed.destroy(errorOf(signal)))
  return new Response(Readable.toWeb(source.pipe(packed)), {
    headers: withEncoding(headers, encoding),
  })
}

/** Streams are ended by an error; a signal may have been given any reason. */
const errorOf = ({ reason }: AbortSignal): Error => (reason instanceof Error ? reason : new Error(String(reason)))

const fastZstd = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

const withEncoding = (headers: Record<string, string>, encoding: Encoding) => ({
  ...headers,
  'content-encoding': encoding,
  vary: 'Accept-Encoding',
})

function encodingFor(request: Request): Encoding | undefined {
  const accepted = request.headers.get('accept-encoding')
  if (accepted === null) return undefined
  return (['zstd', 'gzip'] as const).find((encoding) => accepts(accepted, encoding))
}

export const accepts = (header: string, encoding: string): boolean =>
  header.split(',').some((part) => {
    const [name, ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    return name === encoding && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })

/** Made when the client takes it, and no longer when the client is gone. */
export function streamOf(pieces: AsyncIterable<string>, signal?: AbortSignal): ReadableStream<Uint8Array> {
  const iterator = encoded(pieces)
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        signal?.addEventListener('abort', () => {
          controller.error(errorOf(signal))
          void iterator.return(undefined).catch(() => {})
        })
      },
      async pull(controller) {
        const { done, value } = await iterator.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await iterator.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}

/** Before they are compressed: how much is left of them then, nobody tells. */
async function* counted(
  pieces: AsyncIterable<string>,
  made: (bytes: number) => void,
): AsyncGenerator<string, void, void> {
  for await (const piece of pieces) {
    made(piece.length)
    yield piece
  }
}

async function* encoded(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array, void, void> {
  const pause = pauses()
  for await (const piece of pieces) {
    yield Buffer.from(piece)
    // A client that takes everything at once would keep the loop to itself until the end of the text.
    const rest = pause()
    if (rest !== undefined) await rest
  }
}
