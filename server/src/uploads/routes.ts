import { CreateQuery, encodePath } from '@filestead/contract'
import type { z } from 'zod'
import { type Route, route, type UserContext } from '../access/routes.ts'
import { changesOf } from '../changes/batch.ts'
import { Failure } from '../failure.ts'
import { done } from '../http/answers.ts'
import { bytesBody, type Incoming } from '../http/input.ts'
import { returnsNothing, returnsStatusLine } from '../http/returns.ts'
import type { VirtualPath } from '../storage/path.ts'
import { answerBatch, type BatchLog, linesType } from './answer-batch.ts'
import { appendToUpload, type Piece, type Progress } from './append.ts'
import { cancelUpload } from './cancel.ts'
import { checksumAlgorithms, parseChecksum } from './checksum.ts'
import { createUpload, createWithBytes, uploadWhole } from './create.ts'
import { keptMetadata, lengthIn, modifiedIn, parseSize } from './headers.ts'
import { progressOf } from './progress.ts'
import type { Uploads } from './uploads.ts'

const tusVersion = '1.0.0'
const pieceType = 'application/offset+octet-stream'
const capabilities = {
  'tus-resumable': tusVersion,
  'tus-version': tusVersion,
  'tus-extension': 'creation,creation-with-upload,termination,checksum,expiration',
  'tus-checksum-algorithm': checksumAlgorithms.join(','),
}

/** Only for clients that name a version, also where the request is refused; older clients name none. */
function versionHeaders({ headers }: Request): Record<string, string> {
  const version = headers.get('tus-resumable')
  if (version === null) return {}
  return { 'tus-resumable': tusVersion, ...(version !== tusVersion && { 'tus-version': tusVersion }) }
}

function requireVersion({ headers }: Request): void {
  const version = headers.get('tus-resumable')
  if (version !== null && version !== tusVersion)
    throw new Failure('unsupported-version', `This server speaks version ${tusVersion} of tus`)
}

type Query = z.output<typeof CreateQuery>
type Verb<Query = unknown, Body = unknown> = (context: UserContext<Query, Body>) => Promise<Response>

const everyUpload = { path: '/api/tus/*', answerHeaders: versionHeaders } as const

/** The tus protocol, and the dialect of older clients, which send no version. */
export function uploadRoutes(uploads: Uploads, { baseURL, log }: { baseURL: string; log: BatchLog }): Route[] {
  const { create, progress, append, cancel } = verbsOf(uploads, baseURL)
  const byName = new Map<string, Verb<Query, Incoming>>([
    ['POST', create],
    ['GET', progress],
    ['HEAD', progress],
    ['PATCH', append],
    ['DELETE', cancel],
  ])

  /** Some networks let only GET and POST through; the standard has a header for clients in them. */
  function overriddenVerb({ request }: UserContext): Verb<Query, Incoming> {
    const method = request.headers.get('x-http-method-override') ?? 'POST'
    const verb = byName.get(method)
    if (verb === undefined) throw new Failure('not-allowed-here', `${method} cannot be used here`)
    return verb
  }

  return [
    route({
      path: '/api/uploads',
      answerHeaders: versionHeaders,
      method: 'POST',
      access: ['create'],
      guests: true,
      summary: 'Upload many small files at once.',
      details:
        'The body has for each file a line of JSON {path, length, override, metadata} and then so many bytes. Up to 200 files of 256 KiB, and 8 MiB in all. Each is whole and safe, or refused, whatever becomes of the others.',
      body: bytesBody(),
      returns: {
        status: 200,
        description:
          'One JSON object {path, status, code, message} a line, in the order in which the files were done. One without a path tells why the files behind the last one were not read',
        contentType: linesType,
      },
      sample: { body: '{"path":"/made.txt","length":4}\nmade' },
      answer: (context) => answerBatch(context, inBatch(uploads, context, Bun.randomUUIDv7()), log),
    }),
    route({
      path: '/api/tus/*',
      method: 'OPTIONS',
      access: 'anyone',
      summary: 'What the resumable upload can do.',
      returns: returnsNothing('Tus headers'),
      sample: { at: '' },
      answer: () => done(204, capabilities),
    }),
    route({
      ...everyUpload,
      method: 'POST',
      access: ['create'],
      guests: true,
      summary: 'Begin a resumable upload, or go on with one.',
      details:
        'Needs the header Upload-Length; Upload-Metadata may carry lastModified. The first bytes may come along, as with PATCH. What is there is replaced once the upload is whole.',
      query: CreateQuery,
      body: bytesBody(pieceType),
      returns: returnsStatusLine('; its address in Location', 201),
      sample: { at: 'made.txt', headers: { 'upload-length': '0' } },
      async answer(context) {
        requireVersion(context.request)
        return overriddenVerb(context)(context)
      },
    }),
    route({
      ...everyUpload,
      method: 'GET',
      access: ['create'],
      guests: true,
      summary: 'How far an upload has come; HEAD does the same.',
      returns: returnsStatusLine('; Upload-Offset, Upload-Length and the Upload-Metadata it was begun with'),
      sample: { at: 'begun.txt' },
      async answer(context) {
        requireVersion(context.request)
        return progress(context)
      },
    }),
    route({
      ...everyUpload,
      method: 'PATCH',
      access: ['create'],
      guests: true,
      summary: 'Send the next bytes of an upload.',
      details: `Needs Upload-Offset and Content-Type: ${pieceType}; Upload-Checksum is verified.`,
      body: bytesBody(pieceType),
      returns: returnsNothing('Upload-Offset'),
      sample: { at: 'begun.txt', body: 'made', headers: { 'upload-offset': '0', 'content-type': pieceType } },
      async answer(context) {
        requireVersion(context.request)
        return append(context)
      },
    }),
    route({
      ...everyUpload,
      method: 'DELETE',
      access: ['create'],
      guests: true,
      summary: 'Give an upload up.',
      returns: returnsNothing(),
      sample: { at: 'begun.txt' },
      async answer(context) {
        requireVersion(context.request)
        return cancel(context)
      },
    }),
  ]
}

/** What a request does belongs to the act that it names, and needs its rights until the end. */
const inBatch = (all: Uploads, context: UserContext, otherwise?: string): Uploads => ({
  ...all,
  changes: changesOf(all.changes, context, otherwise),
})

function verbsOf(all: Uploads, baseURL: string) {
  const pieceIn = (context: UserContext<unknown, Incoming>, offset: number): Piece => {
    const checksum = context.request.headers.get('upload-checksum')
    return { offset, ...context.body(), checksum: checksum === null ? undefined : parseChecksum(checksum) }
  }

  const create: Verb<Query, Incoming> = async (context) => {
    const { request, scope } = context
    const uploads = inBatch(all, context)
    const { headers } = request
    const path = filePath(context)
    const announced = {
      length: lengthIn(headers),
      modified: modifiedIn(headers.get('upload-metadata')),
      metadata: keptMetadata(headers.get('upload-metadata')),
      ...context.query,
    }
    const location = `${baseURL}/api/tus${encodePath(path)}`
    if (announced.length === 0) {
      await uploadWhole(uploads, scope, path, announced, new Uint8Array())
      return done(201, { location })
    }
    const isSentAlong = headers.get('content-type') === pieceType
    const progress = isSentAlong
      ? progressHeaders(await createWithBytes(uploads, scope, path, announced, pieceIn(context, 0)))
      : expiry(await createUpload(uploads, scope, path, announced))
    return done(201, { location, ...progress })
  }

  const progress: Verb = async (context) => {
    const { metadata, ...reached } = await progressOf(all, context.scope, context.path)
    return done(200, {
      ...progressHeaders(reached),
      'upload-length': String(reached.length),
      ...(metadata !== undefined && { 'upload-metadata': metadata }),
    })
  }

  const append: Verb<unknown, Incoming> = async (context) => {
    const { headers } = context.request
    if (headers.get('content-type') !== pieceType)
      throw new Failure('unsupported-type', `The content type must be ${pieceType}`)
    const offset = parseSize(headers.get('upload-offset'), 'upload offset')
    return done(
      204,
      progressHeaders(
        await appendToUpload(inBatch(all, context), context.scope, context.path, pieceIn(context, offset)),
      ),
    )
  }

  const cancel: Verb = async (context) => {
    await cancelUpload(all, context.scope, context.path)
    return done(204)
  }

  return { create, progress, append, cancel }
}

function filePath(context: UserContext): VirtualPath {
  if (context.endsWithSlash || context.path === '/') throw new Failure('invalid', 'a folder cannot be uploaded')
  return context.path
}

const progressHeaders = ({ offset, expiresAt }: Progress): Record<string, string> => ({
  'upload-offset': String(offset),
  ...expiry(expiresAt),
})

const expiry = (expiresAt: number | undefined): Record<string, string> =>
  expiresAt === undefined ? {} : { 'upload-expires': new Date(expiresAt * 1000).toUTCString() }
