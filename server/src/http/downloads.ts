import { rangeIn } from './ranges.ts'
import type { RequestContext } from './request.ts'
import { wholeBody } from './whole-body.ts'

/** The content of a file, and what HTTP has to know about it. */
export interface Delivery {
  /** A file, bytes, or how to make a stream of a part. A file can change while it is sent; bytes cannot. */
  content: Blob | Uint8Array | ((start: number, end: number) => ReadableStream<Uint8Array>)
  size: number
  /** Unix time. */
  seconds: number
  version: string
  contentType: string
  disposition: string
}

/**
 * A page or drawing of a user runs nothing, and asks no other host for anything: its author would learn who
 * reads it, and when. What it brings along, and what lies beside it, is shown.
 */
export const policyOfContent =
  "sandbox; default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; font-src data:"

/** The viewers of browsers refuse to work in a sandbox, and are pages of their own that load what they need. */
const policyOfPdf = "script-src 'none'"

/** What content of a type may do in a browser. */
export const policyOf = (contentType: string): string =>
  contentType === 'application/pdf' ? policyOfPdf : policyOfContent

/** The bytes of a file with everything HTTP knows about them: ranges, conditions, and no chance to run as a page. */
export function deliver(context: RequestContext, delivery: Delivery): Response {
  const { request } = context
  const { content, size, version, contentType } = delivery
  const headers = {
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    // A file that shrinks while it is sent would leave the client waiting for bytes on a connection in use.
    ...(!(content instanceof Uint8Array) && { connection: 'close' }),
    'content-disposition': delivery.disposition,
    'content-security-policy': policyOf(contentType),
    'content-type': contentType,
    etag: version,
    'last-modified': httpDate(delivery),
    'x-content-type-options': 'nosniff',
  }
  if (isAnotherVersion(request, delivery)) return new Response(null, { status: 412, headers })
  if (isUnchanged(request, delivery)) return new Response(null, { status: 304, headers })

  const range = mayBePart(request, delivery) ? rangeIn(request.headers.get('range'), size) : 'all'
  if (range === 'none')
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` } })
  if (request.method === 'HEAD') return new Response(null, { headers: { ...headers, 'content-length': String(size) } })
  if (range === 'all') {
    countSent(context, content, size)
    // The runtime would read the range of an empty file itself, and refuse it.
    return new Response(size === 0 ? '' : part(request, content, 0, size), { status: 200, headers })
  }
  countSent(context, content, range.end - range.start)
  return new Response(part(request, content, range.start, range.end), {
    status: 206,
    headers: { ...headers, 'content-range': `bytes ${range.start}-${range.end - 1}/${size}` },
  })
}

/** A stream counts what it sends by itself. */
function countSent(context: RequestContext, content: Delivery['content'], length: number): void {
  if (typeof content !== 'function') context.sent(length)
}

function part(request: Request, content: Delivery['content'], start: number, end: number) {
  if (content instanceof Blob) return content.slice(start, end)
  return content instanceof Uint8Array ? wholeBody(content.subarray(start, end), request) : content(start, end)
}

/** Any name, whatever it holds, as a header value that cannot end early. */
export function dispositionOf(kind: 'inline' | 'attachment', name: string): string {
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*!]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename*=utf-8''${encoded}`
}

/** The header has years of four digits. File systems know others, which are told as the first or the last of them. */
export const httpDate = ({ seconds }: Pick<Delivery, 'seconds'>): string =>
  new Date(Math.max(firstYear, Math.min(lastYear, seconds)) * 1000).toUTCString()

const firstYear = Date.UTC(1000) / 1000
const lastYear = Date.UTC(10_000) / 1000 - 1

/** Does the client have this version? Undefined where it does not say. */
export function isKnown({ headers }: Request, version: string): boolean | undefined {
  const known = headers.get('if-none-match')
  if (known === null) return undefined
  return known === '*' || known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === version)
}

type Dated = Pick<Delivery, 'seconds' | 'version'>

export function isUnchanged(request: Request, { version, seconds }: Dated): boolean {
  const isKnownByTag = isKnown(request, version)
  if (isKnownByTag !== undefined) return isKnownByTag
  const since = Date.parse(request.headers.get('if-modified-since') ?? '')
  return !Number.isNaN(since) && seconds * 1000 <= since
}

/** Does the client want one version and no other, and this is not the one? */
function isAnotherVersion({ headers }: Request, { version, seconds }: Dated): boolean {
  const wanted = headers.get('if-match')
  if (wanted !== null) return wanted !== '*' && !wanted.split(',').some((tag) => tag.trim() === version)
  const since = Date.parse(headers.get('if-unmodified-since') ?? '')
  return !Number.isNaN(since) && seconds * 1000 > since
}

/** A piece fits only the version that the client has the rest of. */
function mayBePart({ headers }: Request, { version, seconds }: Dated): boolean {
  const condition = headers.get('if-range')
  return condition === null || condition === version || condition === httpDate({ seconds })
}
