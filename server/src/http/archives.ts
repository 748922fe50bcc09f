import { Failure } from '../failure.ts'
import type { Archive } from '../files/archive/archive.ts'
import { chosenIn, type Selection } from '../files/archive/selection.ts'
import type { VirtualPath } from '../files/path.ts'
import type { Scope } from '../files/scope.ts'
import { dispositionOf, isKnown, policyOfContent } from './downloads.ts'
import { flowing } from './flow.ts'
import { rangeIn } from './ranges.ts'
import type { Asked } from './routes.ts'

/** An archive while it is made. One whose bytes are known to come again can be continued like any file. */
export function answerArchive({ request, surroundings, report }: Asked, made: Archive): Response {
  const { keepAwake } = surroundings
  const archive: Archive = { ...made, bytes: (part) => watched(made.bytes(part), report) }
  const { whole } = archive
  const headers = {
    'cache-control': 'private, no-cache',
    'content-disposition': dispositionOf('attachment', archive.name),
    'content-security-policy': policyOfContent,
    'content-type': archive.contentType,
    'x-content-type-options': 'nosniff',
    // The runtime sends no length with a stream, so ours goes beside it.
    ...(whole && { 'accept-ranges': 'bytes', etag: whole.version, 'x-archive-length': String(whole.length) }),
  }
  if (whole && isKnown(request, whole.version)) return new Response(null, { status: 304, headers })

  const range = whole && mayBePart(request, whole.version) ? rangeIn(request.headers.get('range'), whole.length) : 'all'
  if (range === 'none')
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${whole?.length}` } })
  if (request.method === 'HEAD') return new Response(null, { headers: { ...headers, ...lengthHeader(whole?.length) } })
  if (range === 'all') return flowing((made) => new Response(streamOf(archive.bytes(), keepAwake, made), { headers }))
  const partHeaders = { ...headers, 'content-range': `bytes ${range.start}-${range.end - 1}/${whole?.length}` }
  return flowing(
    (made) => new Response(streamOf(archive.bytes(range), keepAwake, made), { status: 206, headers: partHeaders }),
  )
}

/** What to pack when the names are too many for an address: they come as the fields of a form, one each. */
export async function chosenByForm(
  asked: Asked,
  scope: Scope,
  folder: VirtualPath,
): Promise<{ selection: Selection; algo: string | undefined }> {
  const { kind } = await scope.stat(folder)
  if (kind !== 'folder') throw new Failure('invalid', 'only what is in a folder can be chosen')
  const form = await asked.form()
  return { selection: chosenIn(folder, form.getAll('files')), algo: form.get('algo') ?? undefined }
}

function mayBePart({ headers }: Request, version: string): boolean {
  const condition = headers.get('if-range')
  return condition === null || condition === version
}

/** The runtime would say that an archive of unknown length has none at all. */
const lengthHeader = (length: number | undefined): Record<string, string> =>
  length === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(length) }

/** The client only sees that the connection breaks; why, the log has to tell. */
async function* watched(
  pieces: AsyncGenerator<Uint8Array>,
  report: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces
  } catch (error) {
    report(error)
    throw error
  }
}

/** Made when the client takes it, and no longer when the client is gone. An error breaks the connection. */
function streamOf(
  pieces: AsyncGenerator<Uint8Array>,
  keepAwake: () => void,
  made: (bytes: number) => void,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // Packing can take its time for a few bytes; only a client that takes none of them is idle.
        const making = setInterval(keepAwake, 60_000)
        try {
          const { done, value } = await pieces.next()
          keepAwake()
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
        await pieces.return(undefined)
      },
    },
    { highWaterMark: 0 },
  )
}
