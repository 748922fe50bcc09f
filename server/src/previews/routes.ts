import { nameOf, Yes } from '@filestead/contract'
import { z } from 'zod'
import { type Route, route } from '../access/routes.ts'
import type { Scope } from '../access/scope.ts'
import { Failure, isFailure } from '../failure.ts'
import { deliverFile } from '../files/answer-file.ts'
import { openForDownload } from '../files/read.ts'
import { accepts } from '../http/compress.ts'
import { dispositionOf } from '../http/downloads.ts'
import type { RequestContext } from '../http/request.ts'
import { returnsBytes } from '../http/returns.ts'
import { parsePath, type VirtualPath } from '../storage/path.ts'
import { versionOf } from '../storage/version.ts'
import { deliverRendition } from './answer-rendition.ts'
import { noPreview, type Previews, parseSize } from './previews.ts'
import { type Size, sizes, type Taste } from './recipes.ts'
import { requireSubtitle, subtitleIn } from './subtitle.ts'

const InlineQuery = z.object({ inline: Yes('to be shown instead of saved') })

/** A request for something that is made from a file. */
type RenditionContext = RequestContext<z.output<typeof InlineQuery>>

const returnsPicture = returnsBytes('The picture', 'image/*')
const returnsSubtitles = returnsBytes('The subtitles', 'text/vtt')
const summaryOf: Record<Size, string> = {
  thumb: 'A small square picture of a shared image.',
  big: 'A picture of a shared image that fits a screen.',
}

export const previewRoutes = (previews: Previews): Route[] => [
  route({
    method: 'GET',
    path: '/api/preview/*',
    access: ['download'],
    summary: 'A smaller picture of an image; the path begins with thumb/ or big/.',
    query: InlineQuery,
    returns: returnsPicture,
    sample: { at: 'thumb/box/picture.gif' },
    answer(context) {
      const [, size = '', ...names] = context.path.split('/')
      return answerPreview(previews, context, context.scope, parsePath(names.join('/')), parseSize(size))
    },
  }),
  route({
    method: 'GET',
    path: '/api/subtitle/*',
    access: ['download'],
    summary: 'Subtitles (vtt, srt, ass, ssa) as WebVTT.',
    query: InlineQuery,
    returns: returnsSubtitles,
    sample: { at: 'box/words.vtt' },
    answer: (context) => answerSubtitle(context, context.scope, context.path),
  }),
  ...sizes.map((size) =>
    route({
      method: 'GET',
      path: `/api/public/preview/${size}/*`,
      access: 'visitors',
      summary: summaryOf[size],
      query: InlineQuery,
      returns: returnsPicture,
      sample: ({ link }) => ({ at: `${link}/picture.gif` }),
      answer: (context) => answerPreview(previews, context, context.visit.scope, context.visit.path, size),
    }),
  ),
  route({
    method: 'GET',
    path: '/api/public/subtitle/*',
    access: 'visitors',
    summary: 'Shared subtitles as WebVTT.',
    query: InlineQuery,
    returns: returnsSubtitles,
    sample: ({ link }) => ({ at: `${link}/words.vtt` }),
    answer: (context) => answerSubtitle(context, context.visit.scope, context.visit.path),
  }),
]

function tasteOf({ headers }: Request): Taste {
  const accept = headers.get('accept') ?? ''
  return { takesWebp: accepts(accept, 'image/webp'), isForShow: accept.includes('image/') }
}

/** A smaller picture of an image, or the image itself. */
async function answerPreview(
  previews: Previews,
  context: RenditionContext,
  scope: Scope,
  path: VirtualPath,
  size: Size,
): Promise<Response> {
  const { request, query } = context
  const { inline } = query
  const name = nameOf(path)
  const file = await openForDownload(scope, path).catch(ifNoFile)
  let isHandedOver = false
  try {
    const preview = previews.of(file, size, tasteOf(request))
    if (preview === undefined) {
      isHandedOver = true
      return deliverFile(context, file, { name, inline })
    }
    return await deliverRendition(context, {
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
async function answerSubtitle(context: RenditionContext, scope: Scope, path: VirtualPath): Promise<Response> {
  const { request, query } = context
  const { kind, name } = await scope.stat(path)
  if (kind === 'folder') throw new Failure('invalid', 'this is a folder')
  requireSubtitle(name)
  const file = await openForDownload(scope, path)
  try {
    return await deliverRendition(context, {
      entry: file.entry,
      version: `${versionOf(file.entry).slice(0, -1)}-vtt"`,
      contentType: 'text/vtt',
      disposition: dispositionOf(query.inline ? 'inline' : 'attachment', name),
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
