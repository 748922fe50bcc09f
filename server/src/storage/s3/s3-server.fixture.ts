import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type S3Keys, signedHeaders, signedQuery } from './signing.ts'
import { childrenOf, escaped, parseXml, textOf } from './xml.ts'

/** What a server does with one request: as it is asked, or something that servers and networks do at times. */
export type Fault =
  | undefined
  /** The connection is cut before anything is done, or before the answer. */
  | 'cut before'
  | 'cut after'
  | 'slow down'
  | 'internal error'
  /** The answer to a read ends in its middle. */
  | 'cut within'

export interface Asked {
  readonly method: string
  readonly key: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
}

interface Stored {
  readonly bytes: Buffer
  readonly etag: string
  readonly stored: number
  readonly headers: Record<string, string>
}

interface Upload {
  readonly key: string
  readonly begun: number
  readonly headers: Record<string, string>
  readonly parts: Map<number, Stored>
}

/** A small S3 server that insists on what Amazon insists on: signatures, sizes of parts, conditions, pages. */
export class S3Server {
  readonly objects = new Map<string, Stored>()
  readonly uploads = new Map<string, Upload>()
  readonly asked: Asked[] = []
  fault: (asked: Asked) => Fault = () => undefined
  keys: S3Keys = { accessKeyId: 'AKEXAMPLE', secretAccessKey: 'a secret of the fixture' }
  readonly bucket = 'bucket'
  region = 'us-east-1'
  /** In milliseconds: how far its clock is ahead. */
  ahead = 0
  leastPart = 5 << 20
  conditions = { put: true, complete: true, copy: false, remove: true }
  /** The keys in the order of their bytes. */
  readonly #order: string[] = []
  readonly #server = createServer((request, response) => void this.#serve(request, response))

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  put(key: string, bytes: Uint8Array | string, headers: Record<string, string> = {}): Stored {
    const content = Buffer.from(bytes as string)
    const stored = { bytes: content, etag: md5(content), stored: this.now(), headers }
    if (!this.objects.has(key)) this.#order.splice(this.#placeOf(key), 0, key)
    this.objects.set(key, stored)
    return stored
  }

  remove(key: string): void {
    if (this.objects.delete(key)) this.#order.splice(this.#placeOf(key), 1)
  }

  /** Of the first key that is not before this one. */
  #placeOf(key: string): number {
    let [low, high] = [0, this.#order.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (compare(this.#order[middle] ?? '', key) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  now(): number {
    return Date.now() + this.ahead
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    try {
      for await (const piece of request) pieces.push(piece as Buffer)
    } catch {
      return
    }
    const body = Buffer.concat(pieces)
    const [path = '', search = ''] = (request.url ?? '').split('?', 2)
    const [, bucket = '', ...segments] = path.split('/')
    const key = segments.map(decodeURIComponent).join('/')
    const query = new URLSearchParams(search.replaceAll('+', '%2B'))
    const asked = { method: request.method ?? '', key, query, headers: request.headers }
    this.asked.push(asked)
    const fault = this.fault(asked)
    if (fault === 'cut before') return void request.socket.destroy()
    let answer: Answer
    try {
      if (fault === 'slow down') throw new Refused(503, 'SlowDown')
      if (fault === 'internal error') throw new Refused(500, 'InternalError')
      this.#authenticate(asked, path, body)
      if (bucket !== this.bucket) throw new Refused(404, 'NoSuchBucket')
      answer = this.#answer(asked, body)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      const region: Record<string, string> =
        error.reason === 'PermanentRedirect' ? { 'x-amz-bucket-region': this.region } : {}
      const text = `<Error><Code>${error.reason}</Code><Message>The string to sign was ${this.keys.accessKeyId}</Message></Error>`
      answer = {
        status: error.status,
        headers: { 'content-type': 'application/xml', ...region },
        body: Buffer.from(text),
      }
    }
    if (fault === 'cut after') return void request.socket.destroy()
    const { status = 200, headers = {}, body: sent = Buffer.alloc(0) } = answer
    const length = headers['content-length'] ?? String(sent.length)
    response.writeHead(status, { date: new Date(this.now()).toUTCString(), ...headers, 'content-length': length })
    if (fault === 'cut within') {
      response.write(sent.subarray(0, sent.length / 2), () => setTimeout(() => request.socket.destroy(), 20))
      return
    }
    response.end(request.method === 'HEAD' ? undefined : sent)
  }

  #authenticate({ method, query, headers }: Asked, path: string, body: Buffer): void {
    const given = (name: string) => String(headers[name] ?? '')
    const host = given('host')
    const isAddress = query.has('X-Amz-Signature')
    const stamp = isAddress ? (query.get('X-Amz-Date') ?? '') : given('x-amz-date')
    const at = new Date(stamp.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'))
    if (Number.isNaN(at.getTime())) throw new Refused(403, 'AccessDenied')
    const [, id = query.get('X-Amz-Credential')?.split('/')[0]] =
      /Credential=([^/]+)/.exec(given('authorization')) ?? []
    if (id !== this.keys.accessKeyId) throw new Refused(403, 'InvalidAccessKeyId')
    if (!isAddress && Math.abs(at.getTime() - this.now()) > 900_000) throw new Refused(403, 'RequestTimeTooSkewed')
    const options = { keys: this.keys, region: this.region, at }
    if (isAddress) {
      const seconds = Number(query.get('X-Amz-Expires'))
      const own = [...query].filter(([name]) => !name.startsWith('X-Amz-'))
      const expected = signedQuery({ method, host, path, query: own, headers: {} }, seconds, options)
      if (!expected.endsWith(`&X-Amz-Signature=${query.get('X-Amz-Signature')}`)) throw mismatch()
      if (this.now() > at.getTime() + seconds * 1000) throw new Refused(403, 'AccessDenied')
      return
    }
    const [, region] = /Credential=[^/]+\/\d+\/([^/]+)/.exec(given('authorization')) ?? []
    if (region !== this.region) throw new Refused(301, 'PermanentRedirect')
    const payload = given('x-amz-content-sha256')
    if (payload !== 'UNSIGNED-PAYLOAD' && payload !== createHash('sha256').update(body).digest('hex'))
      throw new Refused(400, 'XAmzContentSHA256Mismatch')
    const [, names = ''] = /SignedHeaders=([^,]+)/.exec(given('authorization')) ?? []
    const signed = Object.fromEntries(names.split(';').map((name) => [name, given(name)]))
    const expected = signedHeaders({ method, host, path, query: [...query], headers: signed }, payload, options)
    if (expected.authorization !== given('authorization')) throw mismatch()
    const all = Object.keys(headers).filter((name) => name.startsWith('x-amz-') || name.startsWith('if-'))
    if (all.some((name) => !names.split(';').includes(name))) throw mismatch()
  }

  #answer(asked: Asked, body: Buffer): Answer {
    const { method, key, query } = asked
    if (key === '') {
      if (method === 'POST' && query.has('delete')) return this.#removeMany(asked, body)
      if (method === 'GET' && query.has('uploads')) return this.#listUploads(query)
      if (method === 'GET' && query.get('list-type') === '2') return this.#list(query)
    } else if (Buffer.byteLength(key) > 1024) throw new Refused(400, 'KeyTooLongError')
    else if (method === 'POST' && query.has('uploads')) return this.#create(asked)
    else if (query.has('uploadId')) return this.#part(asked, body)
    else if (method === 'PUT') return this.#put(asked, body)
    else if (method === 'GET' || method === 'HEAD') return this.#get(asked)
    else if (method === 'DELETE') return this.#delete(asked)
    throw new Refused(405, 'MethodNotAllowed')
  }

  #require({ key, headers }: Asked, isKnown: boolean): void {
    const [absent, match] = [headers['if-none-match'], headers['if-match']]
    if (absent === undefined && match === undefined) return
    if (!isKnown) return
    const there = this.objects.get(key)
    if (absent === '*' && there !== undefined) throw new Refused(412, 'PreconditionFailed')
    if (match !== undefined && there === undefined) throw new Refused(404, 'NoSuchKey')
    if (match !== undefined && match !== `"${there?.etag}"`) throw new Refused(412, 'PreconditionFailed')
  }

  #source({ headers }: Asked): Stored {
    const [, bucket = '', ...segments] = String(headers['x-amz-copy-source']).split('/')
    const there = this.objects.get(segments.map(decodeURIComponent).join('/'))
    if (bucket !== this.bucket || there === undefined) throw new Refused(404, 'NoSuchKey')
    const match = headers['x-amz-copy-source-if-match']
    if (match !== undefined && match !== `"${there.etag}"`) throw new Refused(412, 'PreconditionFailed')
    return there
  }

  #put(asked: Asked, body: Buffer): Answer {
    const { key, headers } = asked
    if (headers['x-amz-copy-source'] === undefined) {
      this.#require(asked, this.conditions.put)
      return { headers: { etag: `"${this.put(key, body, metadataIn(headers)).etag}"` } }
    }
    if (!this.conditions.copy && (headers['if-match'] ?? headers['if-none-match']) !== undefined)
      throw new Refused(501, 'NotImplemented')
    const source = this.#source(asked)
    this.#require(asked, this.conditions.copy)
    const isReplaced = headers['x-amz-metadata-directive'] === 'REPLACE'
    const { etag } = this.put(key, source.bytes, isReplaced ? metadataIn(headers) : source.headers)
    return xml(`<CopyObjectResult><ETag>&quot;${etag}&quot;</ETag></CopyObjectResult>`)
  }

  #get({ key, headers, query, method }: Asked): Answer {
    const there = this.objects.get(key)
    if (there === undefined) throw new Refused(404, 'NoSuchKey')
    if (headers['if-match'] !== undefined && headers['if-match'] !== `"${there.etag}"`)
      throw new Refused(412, 'PreconditionFailed')
    const sent = {
      ...there.headers,
      etag: `"${there.etag}"`,
      'last-modified': new Date(there.stored).toUTCString(),
      ...(query.has('response-content-disposition') && {
        'content-disposition': query.get('response-content-disposition') ?? '',
      }),
    }
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
    if (start === undefined || method === 'HEAD')
      return { headers: { ...sent, 'content-length': String(there.bytes.length) }, body: there.bytes }
    if (Number(start) >= there.bytes.length) throw new Refused(416, 'InvalidRange')
    return { status: 206, headers: sent, body: there.bytes.subarray(Number(start), Number(end) + 1) }
  }

  #delete(asked: Asked): Answer {
    if (this.objects.has(asked.key)) this.#require(asked, this.conditions.remove)
    this.remove(asked.key)
    return { status: 204 }
  }

  #removeMany({ headers }: Asked, body: Buffer): Answer {
    if (headers['content-md5'] !== createHash('md5').update(body).digest('base64'))
      throw new Refused(400, 'InvalidDigest')
    const keys = childrenOf(parseXml(body.toString()), 'Object').map((object) => textOf(object, 'Key'))
    if (keys.length > 1000) throw new Refused(400, 'MalformedXML')
    for (const key of keys) this.remove(key)
    return xml('<DeleteResult/>')
  }

  #list(query: URLSearchParams): Answer {
    const prefix = query.get('prefix') ?? ''
    const delimiter = query.get('delimiter') ?? ''
    const most = Math.min(1000, Number(query.get('max-keys') ?? 1000))
    const token = query.get('continuation-token')
    const after = token === null ? undefined : Buffer.from(token, 'base64').toString()
    const name = (key: string) => escaped(encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/'))
    const found: string[] = []
    const prefixes = new Set<string>()
    let last: string | undefined
    let isTruncated = false
    for (let at = this.#placeOf(after ?? prefix); at < this.#order.length; at += 1) {
      const key = this.#order[at] ?? ''
      if (!key.startsWith(prefix)) break
      const isInPrefix = after?.endsWith('/') === true && delimiter !== '' && after !== prefix && key.startsWith(after)
      if (key === after || isInPrefix) continue
      const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
      const common = end === -1 ? undefined : key.slice(0, end + 1)
      if (common !== undefined && prefixes.has(common)) continue
      if (found.length + prefixes.size === most) {
        isTruncated = true
        break
      }
      last = common ?? key
      if (common !== undefined) prefixes.add(common)
      else found.push(key)
    }
    const contents = found.map((key) => {
      const { etag, bytes, stored } = this.objects.get(key) ?? { etag: '', bytes: '', stored: 0 }
      return `<Contents><Key>${name(key)}</Key><LastModified>${new Date(stored).toISOString()}</LastModified><ETag>&quot;${etag}&quot;</ETag><Size>${bytes.length}</Size></Contents>`
    })
    const commons = [...prefixes].map((common) => `<CommonPrefixes><Prefix>${name(common)}</Prefix></CommonPrefixes>`)
    const next = isTruncated
      ? `<NextContinuationToken>${Buffer.from(last ?? '').toString('base64')}</NextContinuationToken>`
      : ''
    return xml(
      `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><EncodingType>url</EncodingType><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}${commons.join('')}</ListBucketResult>`,
    )
  }

  #create({ key, headers }: Asked): Answer {
    const id = randomUUID()
    this.uploads.set(id, { key, begun: this.now(), headers: metadataIn(headers), parts: new Map() })
    return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`)
  }

  #listUploads(query: URLSearchParams): Answer {
    const found = [...this.uploads].filter(([, { key }]) => key.startsWith(query.get('prefix') ?? ''))
    const items = found.map(
      ([id, { key, begun }]) =>
        `<Upload><Key>${escaped(key)}</Key><UploadId>${id}</UploadId><Initiated>${new Date(begun).toISOString()}</Initiated></Upload>`,
    )
    return xml(`<ListMultipartUploadsResult>${items.join('')}</ListMultipartUploadsResult>`)
  }

  #part(asked: Asked, body: Buffer): Answer {
    const { method, key, query, headers } = asked
    const id = query.get('uploadId') ?? ''
    const upload = this.uploads.get(id)
    if (upload?.key !== key) throw new Refused(404, 'NoSuchUpload')
    if (method === 'DELETE') {
      this.uploads.delete(id)
      return { status: 204 }
    }
    if (method === 'POST') return this.#complete(asked, id, upload, body)
    const number = Number(query.get('partNumber'))
    if (method !== 'PUT' || !(number >= 1 && number <= 10_000)) throw new Refused(400, 'InvalidArgument')
    const isCopy = headers['x-amz-copy-source'] !== undefined
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(String(headers['x-amz-copy-source-range'] ?? '')) ?? []
    const bytes = isCopy
      ? this.#source(asked).bytes.subarray(Number(start ?? 0), end === undefined ? undefined : Number(end) + 1)
      : body
    const etag = md5(bytes)
    upload.parts.set(number, { bytes, etag, stored: this.now(), headers: {} })
    return isCopy ? xml(`<CopyPartResult><ETag>"${etag}"</ETag></CopyPartResult>`) : { headers: { etag: `"${etag}"` } }
  }

  #complete(asked: Asked, id: string, upload: Upload, body: Buffer): Answer {
    const parts = childrenOf(parseXml(body.toString()), 'Part').map((part) => {
      const stored = upload.parts.get(Number(textOf(part, 'PartNumber')))
      if (stored === undefined || textOf(part, 'ETag') !== `"${stored.etag}"`) throw new Refused(400, 'InvalidPart')
      return stored.bytes
    })
    if (parts.length === 0) throw new Refused(400, 'MalformedXML')
    if (parts.slice(0, -1).some(({ length }) => length < this.leastPart)) throw new Refused(400, 'EntityTooSmall')
    this.#require(asked, this.conditions.complete)
    const etag = `${md5(Buffer.concat(parts.map((part) => Buffer.from(md5(part), 'hex'))))}-${parts.length}`
    const stored = this.put(asked.key, Buffer.concat(parts), upload.headers)
    this.objects.set(asked.key, { ...stored, etag })
    this.uploads.delete(id)
    return xml(`<CompleteMultipartUploadResult><ETag>"${etag}"</ETag></CompleteMultipartUploadResult>`)
  }
}

interface Answer {
  status?: number
  headers?: Record<string, string>
  body?: Buffer
}

class Refused extends Error {
  constructor(
    readonly status: number,
    readonly reason: string,
  ) {
    super(reason)
  }
}

const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
const mismatch = () => new Refused(403, 'SignatureDoesNotMatch')
const xml = (text: string): Answer => ({ headers: { 'content-type': 'application/xml' }, body: Buffer.from(text) })
const md5 = (bytes: Uint8Array): string => createHash('md5').update(bytes).digest('hex')

const metadataIn = (headers: IncomingMessage['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('x-amz-meta-') || /^(content-(type|encoding|disposition|language)|cache-control)$/.test(name)
        ? [[name, String(value)]]
        : [],
    ),
  )
