import { keyOf, type Limits, lasting } from '../access/limits.ts'
import type { UserContext, VisitorContext } from '../access/routes.ts'
import type { Scope } from '../access/scope.ts'
import { Failure } from '../failure.ts'
import type { Form } from '../http/body.ts'
import { dispositionOf, isKnown, policyOfContent } from '../http/downloads.ts'
import { type ByteRange, rangeIn } from '../http/ranges.ts'
import type { RequestContext } from '../http/request.ts'
import { streamOf } from '../http/stream.ts'
import { holdingSlot, type StreamSlot } from '../http/stream-slot.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { Archive } from './archive.ts'
import { type Selection, selectionOfNames } from './selection.ts'

/** Sends an archive while it is made. One whose bytes are the same each time can be continued like any file. */
export async function answerArchive(
  context: UserContext | VisitorContext,
  limits: Pick<Limits, 'archives' | 'rereads'>,
  make: (options: { signal: AbortSignal; client: string }) => Promise<Archive>,
): Promise<Response> {
  const turn = await lasting(limits.archives, context)
  try {
    const made = await make({ signal: turn.signal, client: keyOf(context) })
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
  turn: StreamSlot,
  { rereads }: Pick<Limits, 'rereads'>,
): Promise<Response> {
  const { request } = context
  const { whole } = made
  const headers = {
    'cache-control': 'private, no-cache',
    'content-disposition': dispositionOf('attachment', made.name),
    'content-security-policy': policyOfContent,
    'content-type': made.contentType,
    'x-content-type-options': 'nosniff',
    // The runtime sends no content-length with a stream, so another header has it.
    ...(whole && { 'accept-ranges': 'bytes', etag: whole.version, 'x-archive-length': String(whole.length) }),
  }
  if (whole && isKnown(request, whole.version)) return new Response(null, { status: 304, headers })

  const range = whole && mayBePart(request, whole.version) ? rangeIn(request.headers.get('range'), whole.length) : 'all'
  const outside = () =>
    new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${whole?.length}` } })
  if (range === 'none') return outside()
  if (request.method === 'HEAD') return new Response(null, { headers: { ...headers, ...lengthHeader(whole?.length) } })
  const send = (part: ByteRange | undefined, answer: ResponseInit) =>
    new Response(streamOf(context, holdingSlot(made.bytes(part), turn), turn.signal), answer)
  if (range === 'all' || whole === undefined) return send(undefined, { headers })
  const toReread = whole.toReread(range)
  if (toReread > quicklyRead) {
    if (isFromTheEnd(request)) return outside()
    // A client that asks for a part may be sent the whole, and then waits for what that costs.
    if ((range.end - range.start) * 100 < toReread) return send(undefined, { headers })
    const place = await rereads.enter(keyOf(context), request)
    turn.whenOver(() => place[Symbol.dispose]())
  }
  const partHeaders = { ...headers, 'content-range': `bytes ${range.start}-${range.end - 1}/${whole?.length}` }
  return send(range, { status: 206, headers: partHeaders })
}

/** The selection of names that are too many for an address: each is a field of a form. */
export async function chosenByForm(
  context: RequestContext<unknown, Form>,
  scope: Scope,
  folder: VirtualPath,
): Promise<{ selection: Selection; algo: string | undefined }> {
  const { kind } = await scope.stat(folder)
  if (kind !== 'folder') throw new Failure('not-allowed-here', 'Only what is in a folder can be chosen')
  const form = await context.body().fields()
  return {
    selection: await selectionOfNames(folder, form.getAll('files'), context.cancellation),
    algo: form.get('algo') ?? undefined,
  }
}

/** So many bytes are read for their checksums with any part. */
const quicklyRead = 64 << 20

/**
 * The last bytes of an archive that was not made before: all its files would be read, and nothing of them sent. A client
 * that continues a download names the byte it continues from, and has received the files before it.
 */
const isFromTheEnd = ({ headers }: Request): boolean => /^bytes=\s*-/.test(headers.get('range') ?? '')

function mayBePart({ headers }: Request, version: string): boolean {
  const condition = headers.get('if-range')
  return condition === null || condition === version
}

/** Without a header the runtime would send a content-length of 0. */
const lengthHeader = (length: number | undefined): Record<string, string> =>
  length === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(length) }
