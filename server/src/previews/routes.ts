import { nameOf } from '@filestead/contract'
import { Failure, isFailure } from '../failure.ts'
import { parsePath, type VirtualPath } from '../files/path.ts'
import { openForDownload } from '../files/read.ts'
import { versionOf } from '../files/resource.ts'
import type { Scope } from '../files/scope.ts'
import { accepts } from '../http/compress.ts'
import { deliverFile, dispositionOf } from '../http/downloads.ts'
import { deliverRendition } from '../http/renditions.ts'
import { type Asked, forUsers, forVisitors, type Route } from '../http/routes.ts'
import { noPreview, type Previews, parseSize } from './previews.ts'
import { type Size, sizes, type Taste } from './recipes.ts'
import { requireSubtitle, subtitleIn } from './subtitle.ts'

export const previewRoutes = (previews: Previews): Route[] => [
  forUsers('GET', '/api/preview/*', ['download'], (asked) => {
    const [, size = '', ...names] = asked.path().split('/')
    return answerPreview(previews, asked.scope, parsePath(names.join('/')), parseSize(size), lookOf(asked))
  }),
  forUsers('GET', '/api/subtitle/*', ['download'], (asked) => answerSubtitle(asked.scope, asked.path(), lookOf(asked))),
  ...sizes.map((size) =>
    forVisitors('GET', `/api/public/preview/${size}/*`, (asked) =>
      answerPreview(previews, asked.visit.scope, asked.visit.path, size, lookOf(asked)),
    ),
  ),
  forVisitors('GET', '/api/public/subtitle/*', (asked) =>
    answerSubtitle(asked.visit.scope, asked.visit.path, lookOf(asked)),
  ),
]

interface Look {
  request: Request
  /** To be looked at in place, not kept. */
  inline: boolean
}

const lookOf = ({ request, query }: Asked): Look => ({ request, inline: query('inline') === 'true' })

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
