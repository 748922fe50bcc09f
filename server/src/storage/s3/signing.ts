import { createHash, createHmac } from 'node:crypto'

/** Handed in by a function that is asked again when a server refuses them. Never logged, and in no error. */
export interface S3Keys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

/** What is signed of a request, by Signature Version 4. */
export interface Signable {
  readonly method: string
  readonly host: string
  /** Encoded, as it is sent. */
  readonly path: string
  readonly query: readonly (readonly [name: string, value: string])[]
  /** Names in small letters. All of them are signed. */
  readonly headers: Readonly<Record<string, string>>
}

export interface SigningOptions {
  readonly keys: S3Keys
  readonly region: string
  readonly at: Date
}

export const unsignedPayload = 'UNSIGNED-PAYLOAD'
export const emptyPayload = createHash('sha256').digest('hex')

const algorithm = 'AWS4-HMAC-SHA256'

/** All headers to send, with the signature. `payload` is the SHA-256 of the body, or `unsignedPayload`. */
export function signedHeaders(request: Signable, payload: string, options: SigningOptions): Record<string, string> {
  const { keys, region, at } = options
  const headers: Record<string, string> = {
    ...request.headers,
    host: request.host,
    'x-amz-content-sha256': payload,
    'x-amz-date': timestamp(at),
    ...(keys.sessionToken !== undefined && { 'x-amz-security-token': keys.sessionToken }),
  }
  const names = namesOf(headers)
  const signature = signatureOf(canonicalRequest({ ...request, headers }, payload), options)
  const credential = `${keys.accessKeyId}/${scopeOf(at, region)}`
  headers.authorization = `${algorithm} Credential=${credential},SignedHeaders=${names},Signature=${signature}`
  return headers
}

/** The query of an address that holds without headers for so many seconds. */
export function signedQuery(request: Signable, seconds: number, options: SigningOptions): string {
  const { keys, region, at } = options
  const headers = { ...request.headers, host: request.host }
  const query: (readonly [string, string])[] = [
    ...request.query,
    ['X-Amz-Algorithm', algorithm],
    ['X-Amz-Credential', `${keys.accessKeyId}/${scopeOf(at, region)}`],
    ['X-Amz-Date', timestamp(at)],
    ['X-Amz-Expires', String(seconds)],
    ['X-Amz-SignedHeaders', namesOf(headers)],
  ]
  if (keys.sessionToken !== undefined) query.push(['X-Amz-Security-Token', keys.sessionToken])
  const signature = signatureOf(canonicalRequest({ ...request, headers, query }, unsignedPayload), options)
  return `${canonicalQuery(query)}&X-Amz-Signature=${signature}`
}

/** The text whose hash is signed. `request.headers` has the host. */
export function canonicalRequest(request: Signable, payload: string): string {
  const names = Object.keys(request.headers).sort()
  const lines = names.map((name) => `${name}:${(request.headers[name] ?? '').trim().replace(/ +/g, ' ')}\n`)
  return [
    request.method,
    request.path,
    canonicalQuery(request.query),
    lines.join(''),
    namesOf(request.headers),
    payload,
  ].join('\n')
}

/** In the order of the encoded names, as it is signed and sent. */
export const canonicalQuery = (query: Signable['query']): string =>
  query
    .map(([name, value]) => [encoded(name), encoded(value)] as const)
    .sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x < y ? -1 : x > y ? 1 : 0))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')

/** Everything but letters, digits and -._~ as %XX: `encodeURIComponent` leaves five more as they are. */
export const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)

export const encodedPath = (path: string): string => path.split('/').map(encoded).join('/')

function signatureOf(request: string, { keys, region, at }: SigningOptions): string {
  const text = [algorithm, timestamp(at), scopeOf(at, region), hashed(request)].join('\n')
  const steps = [dayOf(at), region, 's3', 'aws4_request']
  const key = steps.reduce<Buffer | string>((before, step) => mac(before, step), `AWS4${keys.secretAccessKey}`)
  return mac(key, text).toString('hex')
}

const mac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest()
const hashed = (text: string): string => createHash('sha256').update(text).digest('hex')
const namesOf = (headers: Readonly<Record<string, string>>): string => Object.keys(headers).sort().join(';')
const scopeOf = (at: Date, region: string): string => `${dayOf(at)}/${region}/s3/aws4_request`
const dayOf = (at: Date): string => timestamp(at).slice(0, 8)
/** 20130524T000000Z */
const timestamp = (at: Date): string => at.toISOString().replace(/[:-]|\.\d+/g, '')
