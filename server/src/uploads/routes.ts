import { CreateQuery, encodePath } from '@filestead/contract'
import { Failure } from '../failure.ts'
import type { VirtualPath } from '../files/path.ts'
import { done } from '../http/answers.ts'
import { bytesOf, lengthOf, queryOf } from '../http/body.ts'
import { type AskedByUser, forAnyone, forUsers, type Route } from '../http/routes.ts'
import { appendToUpload, type Progress } from './append.ts'
import { cancelUpload } from './cancel.ts'
import { checksumAlgorithms, parseChecksum } from './checksum.ts'
import { createUpload } from './create.ts'
import { modifiedIn, parseSize } from './headers.ts'
import { progressOf } from './progress.ts'
import type { Uploads } from './uploads.ts'

const version = '1.0.0'
const pieceType = 'application/offset+octet-stream'
const abilities = {
  'tus-resumable': version,
  'tus-version': version,
  'tus-extension': 'creation,termination,checksum,expiration',
  'tus-checksum-algorithm': checksumAlgorithms.join(','),
}

/** The tus protocol, as its standard says and as older clients speak it: without a word about versions. */
export function uploadRoutes(uploads: Uploads, { baseURL }: { baseURL: string }): Route[] {
  const route = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', answer: (asked: AskedByUser) => Promise<Response>) =>
    forUsers(method, '/api/tus/*', ['create'], async (asked) => {
      const spoken = asked.request.headers.get('tus-resumable')
      if (spoken !== null && spoken !== version)
        throw new Failure('unsupported-version', `This server speaks version ${version} of tus`)
      const response = await answer(asked)
      if (spoken !== null) response.headers.set('tus-resumable', version)
      return response
    })

  return [
    forAnyone('OPTIONS', '/api/tus/*', () => done(204, abilities)),

    route('POST', async (asked) => {
      const { headers } = asked.request
      const path = filePath(asked)
      const expires = await createUpload(uploads, asked.scope, path, {
        length: parseSize(headers.get('upload-length'), 'upload length'),
        modified: modifiedIn(headers.get('upload-metadata')),
        ...queryOf(asked, CreateQuery),
      })
      return done(201, { location: `${baseURL}/api/tus${encodePath(path)}`, ...expiry(expires) })
    }),

    route('GET', async (asked) => {
      const progress = await progressOf(uploads, asked.scope, asked.path())
      return done(200, { ...progressHeaders(progress), 'upload-length': String(progress.length) })
    }),

    route('PATCH', async (asked) => {
      const { headers } = asked.request
      if (headers.get('content-type') !== pieceType)
        throw new Failure('unsupported-type', `The content type must be ${pieceType}`)
      const checksum = headers.get('upload-checksum')
      const progress = await appendToUpload(uploads, asked.scope, asked.path(), {
        offset: parseSize(headers.get('upload-offset'), 'upload offset'),
        bytes: bytesOf(asked),
        length: lengthOf(asked),
        checksum: checksum === null ? undefined : parseChecksum(checksum),
      })
      return done(204, progressHeaders(progress))
    }),

    route('DELETE', async (asked) => {
      await cancelUpload(uploads, asked.scope, asked.path())
      return done(204)
    }),
  ]
}

function filePath(asked: AskedByUser): VirtualPath {
  if (asked.endsWithSlash() || asked.path() === '/') throw new Failure('invalid', 'a folder cannot be uploaded')
  return asked.path()
}

const progressHeaders = ({ offset, expiresAt }: Progress): Record<string, string> => ({
  'upload-offset': String(offset),
  ...expiry(expiresAt),
})

const expiry = (expiresAt: number | undefined): Record<string, string> =>
  expiresAt === undefined ? {} : { 'upload-expires': new Date(expiresAt * 1000).toUTCString() }
