import { keyOf, type Limits, lasting } from '../access/limits.ts'
import type { UserContext, VisitorContext } from '../access/routes.ts'
import type { Scope } from '../access/scope.ts'
import { Failure } from '../failure.ts'
import { dispositionOf, isKnown, policyOfContent } from '../http/downloads.ts'
import { flowing } from '../http/flow.ts'
import { heldFor, type Lasting } from '../http/lasting.ts'
import { type ByteRange, rangeIn } from '../http/ranges.ts'
import type { Connection, RequestContext } from '../http/request.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { Archive } from './archive.ts'
import { chosenInTurns, type Selection } from './selection.ts'

/** An archive while it is made. One whose bytes are known to come again can be continued like any file. */
export async function answerArchive(
  context: UserContext | VisitorContext,
  limits: Pick<Limits, 'archives' | 'rereads'>,
  make: (signal: AbortSignal) => Promise<Archive>,
): Promise<Response> {
  const turn = await lasting(limits.archives, context)
  try {
    const made = await make(turn.signal)
    turn.whenOver(() => made.close?.())
    const response = await answerMade(context, made, turn, limits)
    if (response.body === null) turn.end()
    return response
  } catch (error) {
    turn.end()
    throw error
  }
}

async function answerMade(
  context: UserContext | VisitorContext,
  made: Archive,
  turn: Lasting,
  { rereads }: Pick<Limits, 'rereads'>,
): Promise<Response> {
  const { request, connection } = context
  const { whole } = made
  const headers = {
    'cache-control': 'private, no-cache',
    'content-disposition': dispositionOf('attachment', made.name),
    'content-security-policy': policyOfContent,
    'content-type': made.contentType,
    'x-content-type-options': 'nosniff',
    // The runtime sends no length with a stream, so ours goes beside it.
    ...(whole && { 'accept-ranges': 'bytes', etag: whole.version, 'x-archive-length': String(whole.length) }),
  }
  if (whole && isKnown(request, whole.version)) return new Response(null, { status: 304, headers })

  const range = whole && mayBePart(request, whole.version) ? rangeIn(request.headers.get('range'), whole.length) : 'all'
  const outside = () =>
    new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${whole?.length}` } })
  if (range === 'none') return outside()
  if (request.method === 'HEAD') return new Response(null, { headers: { ...headers, ...lengthHeader(whole?.length) } })
  const send = (part: ByteRange | undefined, answer: ResponseInit) =>
    flowing((told) => {
      const pieces = heldFor(made.bytes(part), turn)
      return new Response(streamOf(pieces, { ...connection, made: told, signal: turn.signal }), answer)
    })
  if (range === 'all' || whole === undefined) return send(undefined, { headers })
  const toReread = whole.toReread(range)
  if (toReread > quicklyRead) {
    if (isFromTheEnd(request)) return outside()
    // Whoever takes parts may be given the whole, and then pays for what it costs to make.
    if ((range.end - range.start) * 100 < toReread) return send(undefined, { headers })
    const place = await rereads.enter(keyOf(context), request)
    turn.whenOver(() => place[Symbol.dispose]())
  }
  const partHeaders = { ...headers, 'content-range': `bytes ${range.start}-${range.end - 1}/${whole?.length}` }
  return send(range, { status: 206, headers: partHeaders })
}

/** What to pack when the names are too many for an address: they come as the fields of a form, one each. */
export async function chosenByForm(
  context: RequestContext,
  scope: Scope,
  folder: VirtualPath,
): Promise<{ selection: Selection; algo: string | undefined }> {
  const { kind } = await scope.stat(folder)
  if (kind !== 'folder') throw new Failure('invalid', 'only what is in a folder can be chosen')
  const form = await context.form.fields()
  return {
    selection: await chosenInTurns(folder, form.getAll('files'), context.cancellation),
    algo: form.get('algo') ?? undefined,
  }
}

/** So many bytes are read for their checksums whatever part is context for. */
const quicklyRead = 64 << 20

/**
 * The last bytes of an archive that was not made here before: all its files would be read, and nothing of them sent.
 * Those who go on with a download name the byte they go on from, and have taken the files before it.
 */
const isFromTheEnd = ({ headers }: Request): boolean => /^bytes=\s*-/.test(headers.get('range') ?? '')

function mayBePart({ headers }: Request, version: string): boolean {
  const condition = headers.get('if-range')
  return condition === null || condition === version
}

/** The runtime would say that an archive of unknown length has none at all. */
const lengthHeader = (length: number | undefined): Record<string, string> =>
  length === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(length) }

interface StreamOptions extends Pick<Connection, 'keepAlive'> {
  made(bytes: number): void
  signal: AbortSignal
}

/** Made when the client takes it, and no longer when the client is gone. An error breaks the connection. */
function streamOf(
  pieces: AsyncIterableIterator<Uint8Array>,
  { keepAlive, made, signal }: StreamOptions,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        signal.addEventListener('abort', () => {
          controller.error(signal.reason)
          void pieces.return?.().catch(() => {})
        })
      },
      async pull(controller) {
        // Packing can take its time for a few bytes; only a client that takes none of them is idle.
        const making = setInterval(keepAlive, 60_000)
        try {
          const { done, value } = await pieces.next()
          keepAlive()
          if (signal.aborted) return
          if (done) controller.close()
          else {
            made(value.length)
            controller.enqueue(value)
          }
        } finally {
          clearInterval(making)
        }
      },
      async cancel() {
        await pieces.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}
