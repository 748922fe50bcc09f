import { httpDate, isUnchanged, policyOfContent } from '../http/downloads.ts'
import type { RequestContext } from '../http/request.ts'
import { wholeBody } from '../http/whole-body.ts'
import type { Entry } from '../storage/port.ts'

export interface Rendition {
  /** The file it is made from. */
  entry: Pick<Entry, 'seconds'>
  version: string
  contentType: string
  disposition: string
  /** Request headers that decide what it looks like. */
  vary?: string | undefined
  make(): Promise<Uint8Array<ArrayBuffer>>
}

/** Answers with something small that is made from a file, unless the client has that version already. */
export async function deliverRendition(context: RequestContext, rendition: Rendition): Promise<Response> {
  const { request } = context
  const { entry, version, vary } = rendition
  const headers = {
    'cache-control': 'private, no-cache',
    'content-disposition': rendition.disposition,
    'content-security-policy': policyOfContent,
    'content-type': rendition.contentType,
    etag: version,
    'last-modified': httpDate(entry),
    'x-content-type-options': 'nosniff',
    ...(vary !== undefined && { vary }),
  }
  if (isUnchanged(request, { version, seconds: entry.seconds })) return new Response(null, { status: 304, headers })
  const bytes = await rendition.make()
  if (request.method === 'HEAD')
    return new Response(null, { headers: { ...headers, 'content-length': String(bytes.length) } })
  context.sent(bytes.length)
  return new Response(wholeBody(bytes, request), { headers })
}
