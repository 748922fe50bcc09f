import { Readable } from 'node:stream'
import { constants, createGzip, createZstdCompress } from 'node:zlib'
import { pauses } from '../files/pauses.ts'
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

/** What fits into one piece is sent with its length, anything longer as it is made. */
export function compressedPieces(
  pieces: Generator<string>,
  request: Request,
  headers: Record<string, string>,
): Response {
  const first = pieces.next().value ?? ''
  const second = pieces.next()
  if (second.done) return compressed(first, request, headers)
  return compressedStream(chain([first, second.value], pieces), request, headers)
}

/** The same for a text that is too long to hold: its pieces go out as they are made. */
export function compressedStream(
  pieces: AsyncIterable<string> | Iterable<string>,
  request: Request,
  headers: Record<string, string>,
): Response {
  const encoding = encodingFor(request)
  if (encoding === undefined) return flowing((made) => new Response(streamOf(counted(pieces, made)), { headers }))
  return flowing((made) => packedStream(counted(pieces, made), encoding, headers))
}

function packedStream(pieces: AsyncIterable<string>, encoding: Encoding, headers: Record<string, string>): Response {
  const source = Readable.from(encoded(pieces), { objectMode: false })
  const packed = encoding === 'zstd' ? createZstdCompress(fastZstd) : createGzip({ level: 1 })
  source.on('error', (error) => packed.destroy(error))
  packed.on('close', () => source.destroy())
  return new Response(Readable.toWeb(source.pipe(packed)), {
    headers: withEncoding(headers, encoding),
  })
}

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
export function streamOf(pieces: AsyncIterable<string> | Iterable<string>): ReadableStream<Uint8Array> {
  const iterator = encoded(pieces)
  return new ReadableStream<Uint8Array>(
    {
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

function* chain(first: Iterable<string>, rest: Iterable<string>): Generator<string> {
  yield* first
  yield* rest
}

/** Before they are compressed: how much is left of them then, nobody tells. */
async function* counted(
  pieces: AsyncIterable<string> | Iterable<string>,
  made: (bytes: number) => void,
): AsyncGenerator<string, void, void> {
  for await (const piece of pieces) {
    made(piece.length)
    yield piece
  }
}

async function* encoded(pieces: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Uint8Array, void, void> {
  const pause = pauses()
  for await (const piece of pieces) {
    yield Buffer.from(piece)
    // A client that takes everything at once would keep the loop to itself until the end of the text.
    const rest = pause()
    if (rest !== undefined) await rest
  }
}
