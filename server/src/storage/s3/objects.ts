import { createHash } from 'node:crypto'
import { Failure } from '../../failure.ts'
import { bytesIn, textIn } from './answers.ts'
import type { Client } from './client.ts'
import { isRefusal, requireSuccess } from './refusal.ts'
import { encodedPath } from './signing.ts'
import { childrenOf, type Element, escaped, isXmlText, parseXml, textOf } from './xml.ts'

/** The calls of S3 that a storage needs, each as a function: what they are named there is said with each. */
export interface Objects {
  /** HeadObject. */
  head(key: string): Promise<ObjectHead | undefined>
  /** PutObject. The ETag of what is there now. */
  put(key: string, body: Uint8Array<ArrayBuffer>, headers: Headers, isRepeatable?: boolean): Promise<string>
  /** GetObject, of a small thing or a part of one, as a whole. */
  get(key: string, start: number, end: number): Promise<Uint8Array<ArrayBuffer>>
  /** CopyObject, with headers of its own. `from` is as `sourceOf` makes it. */
  copy(from: string, to: string, headers: Headers, moved?: () => void): Promise<string>
  /** DeleteObject. One that is gone is fine. */
  remove(key: string, headers?: Headers): Promise<void>
  /** DeleteObjects, as many as there are. */
  removeAll(keys: readonly string[]): Promise<void>
  /** ListObjectsV2, one page. */
  page(prefix: string, options: PageOptions): Promise<Page>
  /** CreateMultipartUpload. */
  createUpload(key: string, headers: Headers): Promise<string>
  /** UploadPart. */
  putPart(part: PartPlace, body: Uint8Array<ArrayBuffer>): Promise<string>
  /** UploadPartCopy. */
  copyPart(part: PartPlace, from: string, headers: Headers): Promise<string>
  /** CompleteMultipartUpload. */
  complete(key: string, upload: string, etags: readonly string[], headers: Headers, moved?: () => void): Promise<string>
  /** AbortMultipartUpload. One that is gone is fine. */
  abort(key: string, upload: string): Promise<void>
  /** ListMultipartUploads of one key. */
  uploadsOf(key: string): Promise<readonly Pending[]>
}

export type Headers = Readonly<Record<string, string | undefined>>

export interface ObjectHead {
  /** Without quotes. */
  readonly etag: string
  readonly size: number
  /** In milliseconds since 1970. */
  readonly stored: number
  /** What a copy has to be given again: the kind of the content, and all of `x-amz-meta-…`. */
  readonly headers: Headers
}

export interface PartPlace {
  readonly key: string
  readonly upload: string
  /** From 1 on. */
  readonly number: number
}

export interface Pending {
  readonly upload: string
  /** In milliseconds since 1970. */
  readonly begun: number
}

export interface PageOptions {
  readonly isFlat?: boolean | undefined
  readonly most?: number | undefined
  readonly token?: string | undefined
}

export interface Page {
  readonly objects: readonly ListedObject[]
  /** With the slash that ends them. */
  readonly prefixes: readonly string[]
  /** Of the next page; undefined where this is the last one. */
  readonly token: string | undefined
}

export interface ListedObject {
  readonly key: string
  readonly etag: string
  readonly size: number
  readonly stored: number
}

/** In milliseconds, since the last sign of life: a copy of five gigabytes takes a while. */
const patienceOfCopies = 600_000
const longestKey = 1024
/** So many keys one DeleteObjects takes. */
const mostRemoved = 1000

export function objectsOf({ call }: Client): Objects {
  async function removeBatch(keys: readonly string[]): Promise<void> {
    const objects = keys.map((key) => `<Object><Key>${escaped(key)}</Key></Object>`).join('')
    const body = bytesOf(`<Delete xmlns="${namespace}"><Quiet>true</Quiet>${objects}</Delete>`)
    // Every server knows this one; the newer checksums not every one.
    const headers = {
      'content-md5': createHash('md5').update(body).digest('base64'),
      'content-type': 'application/xml',
    }
    await call({ method: 'POST', query: { delete: '' }, headers, body }, async (response) => {
      const [error] = childrenOf(await xmlIn(response), 'Error')
      if (error !== undefined) requireSuccess(error)
    })
  }

  return {
    async head(key) {
      return isTooLong(key) ? undefined : unlessGone(call({ method: 'HEAD', key }, headIn))
    },
    async put(key, body, headers, isRepeatable = true) {
      requireShort(key)
      return call({ method: 'PUT', key, headers, body, isRepeatable }, etagIn)
    },
    get: (key, start, end) =>
      start >= end
        ? Promise.resolve(new Uint8Array())
        : call({ method: 'GET', key, headers: { range: rangeOf(start, end) } }, async (response) => {
            const bytes = await bytesIn(response, end - start)
            if (bytes.length !== end - start) throw new Failure('unavailable', 'The object storage sent another length')
            return bytes
          }),
    async copy(from, to, headers, moved) {
      requireShort(to)
      const all = { ...headers, 'x-amz-copy-source': from }
      const patience = patienceOfCopies
      return call({ method: 'PUT', key: to, headers: all, isRepeatable: false, patience, moved }, copiedIn)
    },
    remove: (key, headers = {}) => unlessGone(call({ method: 'DELETE', key, headers }, drained)),
    async removeAll(keys) {
      const listable = keys.filter(isXmlText)
      for (let at = 0; at < listable.length; at += mostRemoved) await removeBatch(listable.slice(at, at + mostRemoved))
      for (const key of keys) if (!isXmlText(key)) await this.remove(key)
    },
    page: (prefix, { isFlat = false, most = 1000, token }) => {
      const query = {
        'list-type': '2',
        'encoding-type': 'url',
        'max-keys': String(most),
        prefix,
        ...(!isFlat && { delimiter: '/' }),
        ...(token !== undefined && { 'continuation-token': token }),
      }
      return call({ method: 'GET', query }, async (response) => pageIn(await xmlIn(response)))
    },
    async createUpload(key, headers) {
      requireShort(key)
      return call({ method: 'POST', key, query: { uploads: '' }, headers, isRepeatable: false }, async (response) => {
        const upload = textOf(await xmlIn(response), 'UploadId')
        if (upload === '') throw new Failure('unavailable', 'The object storage gave an upload no id')
        return upload
      })
    },
    putPart: ({ key, upload, number }, body) =>
      call({ method: 'PUT', key, query: { partNumber: String(number), uploadId: upload }, body }, etagIn),
    copyPart({ key, upload, number }, from, headers) {
      const all = { ...headers, 'x-amz-copy-source': from }
      const query = { partNumber: String(number), uploadId: upload }
      return call({ method: 'PUT', key, query, headers: all, patience: patienceOfCopies }, copiedIn)
    },
    complete(key, upload, etags, headers, moved) {
      const parts = etags.map(
        (etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>"${escaped(etag)}"</ETag></Part>`,
      )
      const body = bytesOf(`<CompleteMultipartUpload xmlns="${namespace}">${parts.join('')}</CompleteMultipartUpload>`)
      const query = { uploadId: upload }
      const patience = patienceOfCopies
      return call({ method: 'POST', key, query, headers, body, isRepeatable: false, patience, moved }, copiedIn)
    },
    abort: (key, upload) => unlessGone(call({ method: 'DELETE', key, query: { uploadId: upload } }, drained)),
    uploadsOf: (key) =>
      call({ method: 'GET', query: { uploads: '', prefix: key } }, async (response) =>
        childrenOf(await xmlIn(response), 'Upload')
          .filter((upload) => textOf(upload, 'Key') === key)
          .map((upload) => ({ upload: textOf(upload, 'UploadId'), begun: Date.parse(textOf(upload, 'Initiated')) })),
      ),
  }
}

const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/'

/** As the header `x-amz-copy-source` names an object. */
export const sourceOf = (bucket: string, key: string): string => encodedPath(`/${bucket}/${key}`)

/** Both ends belong to it in HTTP. */
export const rangeOf = (start: number, end: number): string => `bytes=${start}-${end - 1}`

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

const isTooLong = (key: string): boolean => Buffer.byteLength(key) > longestKey

function requireShort(key: string): void {
  if (isTooLong(key)) throw new Failure('invalid', 'the path is too long for the object storage: it takes 1024 bytes')
}

async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (isRefusal(error, 404)) return undefined
    throw error
  }
}

const unquoted = (etag: string): string => etag.replace(/^(W\/)?"|"$/g, '')

/** The connection is used again once the body was read. */
const drained = async (response: Response): Promise<void> => void (await textIn(response))

/** Some servers answer 200 and tell of a failure in the body. */
const xmlIn = async (response: Response): Promise<Element> => requireSuccess(parseXml((await textIn(response)).trim()))

async function etagIn(response: Response): Promise<string> {
  await drained(response)
  return unquoted(response.headers.get('etag') ?? '')
}

/** A copy, and the end of an upload, answer with a body. */
async function copiedIn(response: Response): Promise<string> {
  return unquoted(textOf(await xmlIn(response), 'ETag'))
}

const isKept = (name: string): boolean =>
  name.startsWith('x-amz-meta-') ||
  ['content-type', 'content-encoding', 'content-language', 'content-disposition', 'cache-control', 'expires'].includes(
    name,
  )

function headIn({ headers }: Response): ObjectHead {
  return {
    etag: unquoted(headers.get('etag') ?? ''),
    size: Number(headers.get('content-length') ?? 0),
    stored: Date.parse(headers.get('last-modified') ?? '') || 0,
    headers: Object.fromEntries([...headers].filter(([name]) => isKept(name))),
  }
}

function sizeIn(text: string): number {
  const size = Number(text)
  if (!Number.isSafeInteger(size) || size < 0) throw new Failure('unavailable', 'The object storage sent no listing')
  return size
}

function pageIn(list: Element): Page {
  if (list.name !== 'ListBucketResult') throw new Failure('unavailable', 'The object storage sent no listing')
  const name = textOf(list, 'EncodingType') === 'url' ? decodedName : (text: string) => text
  const token = textOf(list, 'NextContinuationToken')
  return {
    objects: childrenOf(list, 'Contents').map((object) => ({
      key: name(textOf(object, 'Key')),
      etag: unquoted(textOf(object, 'ETag')),
      size: sizeIn(textOf(object, 'Size')),
      stored: Date.parse(textOf(object, 'LastModified')) || 0,
    })),
    prefixes: childrenOf(list, 'CommonPrefixes').map((prefix) => name(textOf(prefix, 'Prefix'))),
    token: textOf(list, 'IsTruncated') === 'true' && token !== '' ? token : undefined,
  }
}

/** A space may be a plus sign. A name that is no UTF-8 keeps its percent signs, and no path leads to it. */
function decodedName(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', '%20'))
  } catch {
    return `//${text}`
  }
}
