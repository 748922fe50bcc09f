import { CreateQuery, encodePath } from '@filestead/contract'
import { forAnyone, forUsers, type Route, type UserContext } from '../access/routes.ts'
import { Failure } from '../failure.ts'
import { done, tusVersion } from '../http/answers.ts'
import { bytesOf, lengthOf, queryOf } from '../http/body.ts'
import type { VirtualPath } from '../storage/path.ts'
import { appendToUpload, type Progress } from './append.ts'
import { cancelUpload } from './cancel.ts'
import { checksumAlgorithms, parseChecksum } from './checksum.ts'
import { createUpload } from './create.ts'
import { lengthIn, metadataIn, modifiedIn, parseSize } from './headers.ts'
import { progressOf } from './progress.ts'
import type { Uploads } from './uploads.ts'

const pieceType = 'application/offset+octet-stream'
const abilities = {
  'tus-resumable': tusVersion,
  'tus-version': tusVersion,
  'tus-extension': 'creation,creation-with-upload,termination,checksum,expiration',
  'tus-checksum-algorithm': checksumAlgorithms.join(','),
}

type Verb = (context: UserContext) => Promise<Response>

/** The tus protocol, as its standard says and as older clients speak it: without a word about versions. */
export function uploadRoutes(uploads: Uploads, { baseURL }: { baseURL: string }): Route[] {
  const verbs = verbsOf(uploads, baseURL)
  const route = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE') =>
    forUsers(method, '/api/tus/*', ['create'], async (context) => {
      const spoken = context.request.headers.get('tus-resumable')
      if (spoken !== null && spoken !== tusVersion)
        throw new Failure('unsupported-version', `This server speaks version ${tusVersion} of tus`)
      const response = await verbMeant(method, context)(context)
      if (spoken !== null) response.headers.set('tus-resumable', tusVersion)
      return response
    })

  /** Some networks let only GET and POST through; the standard has a header for those who sit in them. */
  function verbMeant(method: string, { request }: UserContext): Verb {
    const meant = method === 'POST' ? (request.headers.get('x-http-method-override') ?? method) : method
    const verb = verbs.get(meant)
    if (verb === undefined) throw new Failure('not-allowed-here', `${meant} cannot be used here`)
    return verb
  }

  return [
    forAnyone('OPTIONS', '/api/tus/*', () => done(204, abilities)),
    route('POST'),
    route('GET'),
    route('PATCH'),
    route('DELETE'),
  ]
}

function verbsOf(uploads: Uploads, baseURL: string): ReadonlyMap<string, Verb> {
  const append = (context: UserContext, path: VirtualPath, offset: number): Promise<Progress> => {
    const checksum = context.request.headers.get('upload-checksum')
    return appendToUpload(uploads, context.scope, path, {
      offset,
      bytes: bytesOf(context),
      length: lengthOf(context),
      checksum: checksum === null ? undefined : parseChecksum(checksum),
    })
  }

  const create: Verb = async (context) => {
    const { headers } = context.request
    const path = filePath(context)
    const announced = {
      length: lengthIn(headers),
      modified: modifiedIn(headers.get('upload-metadata')),
      metadata: metadataIn(headers),
      ...queryOf(context, CreateQuery),
    }
    const expires = await createUpload(uploads, context.scope, path, announced)
    const isSentAlong = headers.get('content-type') === pieceType && announced.length > 0
    const location = `${baseURL}/api/tus${encodePath(path)}`
    if (!isSentAlong) return done(201, { location, ...expiry(expires) })
    return done(201, { location, ...progressHeaders(await append(context, path, 0)) })
  }

  const look: Verb = async (context) => {
    const { metadata, ...progress } = await progressOf(uploads, context.scope, context.path)
    return done(200, {
      ...progressHeaders(progress),
      'upload-length': String(progress.length),
      ...(metadata !== undefined && { 'upload-metadata': metadata }),
    })
  }

  const send: Verb = async (context) => {
    const { headers } = context.request
    if (headers.get('content-type') !== pieceType)
      throw new Failure('unsupported-type', `The content type must be ${pieceType}`)
    const offset = parseSize(headers.get('upload-offset'), 'upload offset')
    return done(204, progressHeaders(await append(context, context.path, offset)))
  }

  const cancel: Verb = async (context) => {
    await cancelUpload(uploads, context.scope, context.path)
    return done(204)
  }

  return new Map([
    ['POST', create],
    ['GET', look],
    ['HEAD', look],
    ['PATCH', send],
    ['DELETE', cancel],
  ])
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
