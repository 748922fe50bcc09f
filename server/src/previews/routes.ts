import { nameOf } from '@filestead/contract'
import { forUsers, forVisitors, type Route } from '../access/routes.ts'
import type { Scope } from '../access/scope.ts'
import { Failure, isFailure } from '../failure.ts'
import { deliverFile } from '../files/answer-file.ts'
import { openForDownload } from '../files/read.ts'
import { accepts } from '../http/compress.ts'
import { dispositionOf } from '../http/downloads.ts'
import type { RequestContext } from '../http/request.ts'
import { parsePath, type VirtualPath } from '../storage/path.ts'
import { versionOf } from '../storage/version.ts'
import { deliverRendition } from './answer-rendition.ts'
import { noPreview, type Previews, parseSize } from './previews.ts'
import { type Size, sizes, type Taste } from './recipes.ts'
import { requireSubtitle, subtitleIn } from './subtitle.ts'

export const previewRoutes = (previews: Previews): Route[] => [
  forUsers('GET', '/api/preview/*', ['download'], (context) => {
    const [, size = '', ...names] = context.path.split('/')
    return answerPreview(previews, context.scope, parsePath(names.join('/')), parseSize(size), lookOf(context))
  }),
  forUsers('GET', '/api/subtitle/*', ['download'], (context) =>
    answerSubtitle(context.scope, context.path, lookOf(context)),
  ),
  ...sizes.map((size) =>
    forVisitors('GET', `/api/public/preview/${size}/*`, (context) =>
      answerPreview(previews, context.visit.scope, context.visit.path, size, lookOf(context)),
    ),
  ),
  forVisitors('GET', '/api/public/subtitle/*', (context) =>
    answerSubtitle(context.visit.scope, context.visit.path, lookOf(context)),
  ),
]

interface Look {
  request: Request
  /** To be looked at in place, not kept. */
  inline: boolean
}

const lookOf = ({ request, query }: RequestContext): Look => ({ request, inline: query.get('inline') === 'true' })

function tasteOf({ headers }: Request): Taste {
  const accept = headers.get('accept') ?? ''
  return { takesWebp: accepts(accept, 'image/webp'), isForShow: accept.includes('image/') }
}

/** A smaller picture of an image, or the image itself. */
export async function answerPreview(
  previews: Previews,
  scope: Scope,
  path: VirtualPath,
  size: Size,
  { request, inline }: Look,
): Promise<Response> {
  const name = nameOf(path)
  const file = await openForDownload(scope, path).catch(ifNoFile)
  let isHandedOver = false
  try {
    const preview = previews.of(file, size, tasteOf(request))
    if (preview === undefined) {
      isHandedOver = true
      return deliverFile(request, file, { name, inline })
    }
    return await deliverRendition(request, {
      entry: file.entry,
      version: preview.version,
      contentType: preview.contentType,
      disposition: dispositionOf(inline ? 'inline' : 'attachment', name),
      vary: 'Accept',
      make: () => preview.make(request.signal),
    })
  } finally {
    if (!isHandedOver) file.close()
  }
}

/** Subtitles of any kind as WebVTT. */
export async function answerSubtitle(scope: Scope, path: VirtualPath, { request, inline }: Look): Promise<Response> {
  const { kind, name } = await scope.stat(path)
  if (kind === 'folder') throw new Failure('invalid', 'this is a folder')
  requireSubtitle(name)
  const file = await openForDownload(scope, path)
  try {
    return await deliverRendition(request, {
      entry: file.entry,
      version: `${versionOf(file.entry).slice(0, -1)}-vtt"`,
      contentType: 'text/vtt',
      disposition: dispositionOf(inline ? 'inline' : 'attachment', name),
      make: () => subtitleIn(file, request.signal),
    })
  } finally {
    file.close()
  }
}

/** A folder, a pipe or the like. */
function ifNoFile(error: unknown): never {
  throw isFailure(error, 'invalid') ? noPreview() : error
}
