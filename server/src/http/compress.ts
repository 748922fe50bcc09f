import { Readable } from 'node:stream'
import { constants, createGzip, createZstdCompress } from 'node:zlib'
import { compressedTexts } from './compressed-texts.ts'
import type { RequestContext } from './request.ts'
import { errorOf, streamOf, watched } from './stream.ts'
import { wholeBody } from './whole-body.ts'

/** In bytes: shorter texts fit into one packet anyway. */
const worthwhile = 1024

type Encoding = 'zstd' | 'gzip'

const compressedBy = {
  zstd: compressedTexts((bytes) => Bun.zstdCompressSync(bytes, { level: 1 }) as Uint8Array<ArrayBuffer>),
  gzip: compressedTexts((bytes) => Bun.gzipSync(bytes, { level: 1 })),
}

/** A text answer, compressed if the client accepts it. */
export function compressed(text: string, context: RequestContext, headers: Record<string, string>): Response {
  const encoding = text.length < worthwhile ? undefined : encodingFor(context.request)
  const body = encoding === undefined ? text : compressedBy[encoding](text)
  context.sent(Buffer.byteLength(body))
  return new Response(wholeBody(body, context.request), {
    headers: encoding === undefined ? headers : withEncoding(headers, encoding),
  })
}

/** The same for a text that is too long to hold: its chunks are sent as they are made. */
export function compressedStream(
  chunks: AsyncIterable<string | Uint8Array>,
  context: RequestContext,
  headers: Record<string, string>,
  signal?: AbortSignal,
): Response {
  const encoding = encodingFor(context.request)
  if (encoding === undefined) return new Response(streamOf(context, chunks, signal), { headers })
  const source = Readable.from(watched(context, chunks), { objectMode: false })
  const compressor = encoding === 'zstd' ? createZstdCompress(fastZstd) : createGzip({ level: 1 })
  source.on('error', (error) => compressor.destroy(error))
  compressor.on('close', () => source.destroy())
  signal?.addEventListener('abort', () => {
    context.report(signal.reason)
    compressor.destroy(errorOf(signal))
  })
  return new Response(Readable.toWeb(source.pipe(compressor)), { headers: withEncoding(headers, encoding) })
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
