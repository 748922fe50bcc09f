import { nameOf, Yes } from '@filestead/contract'
import { z } from 'zod'
import { identityOf } from '../access/identity.ts'
import { keyOf } from '../access/limits.ts'
import { type Route, route } from '../access/routes.ts'
import type { Scope } from '../access/scope.ts'
import { Failure, isFailure } from '../failure.ts'
import { deliverFile } from '../files/answer-file.ts'
import { headForDownload, openForDownload } from '../files/read.ts'
import { accepts } from '../http/compress.ts'
import { dispositionOf } from '../http/downloads.ts'
import type { RequestContext } from '../http/request.ts'
import { returnsBytes } from '../http/returns.ts'
import { parsePath, type VirtualPath } from '../storage/path.ts'
import { requireSubtitle, subtitleIn } from '../subtitles/webvtt.ts'
import { deliverRendition } from './answer-rendition.ts'
import { noPreview, type Previews, parseSize } from './previews.ts'
import { type Size, sizes, type Wanted } from './recipes.ts'

const InlineQuery = z.object({ inline: Yes('to be shown instead of saved') })

/** A request for something that is made from a file. */
type RenditionContext = RequestContext<z.output<typeof InlineQuery>>

const returnsPicture = returnsBytes('The picture', 'image/*')
const returnsSubtitles = returnsBytes('The subtitles', 'text/vtt')
const summaryOf: Record<Size, string> = {
  thumb: 'A small square picture of a shared image.',
  big: 'A picture of a shared image that fits a screen.',
  512: 'A picture of a shared image, at most 512 pixels wide and high.',
  1024: 'A picture of a shared image, at most 1024 pixels wide and high.',
}

export const previewRoutes = (previews: Previews): Route[] => [
  route({
    method: 'GET',
    path: '/api/preview/*',
    access: ['download'],
    guests: true,
    past: true,
    summary: 'A smaller picture of an image; the path begins with thumb/, big/, 512/ or 1024/.',
    query: InlineQuery,
    returns: returnsPicture,
    sample: { at: 'thumb/box/picture.gif' },
    answer(context) {
      const [, size = '', ...names] = context.path.split('/')
      const [path, wanted] = [parsePath(names.join('/')), parseSize(size)]
      return untilUnchanged(() => answerPreview(previews, context, context.scope, path, wanted))
    },
  }),
  route({
    method: 'GET',
    path: '/api/subtitle/*',
    access: ['download'],
    guests: true,
    past: true,
    summary: 'Subtitles (vtt, srt, ass, ssa) as WebVTT.',
    query: InlineQuery,
    returns: returnsSubtitles,
    sample: { at: 'box/words.vtt' },
    answer: (context) => untilUnchanged(() => answerSubtitle(context, context.scope, context.path)),
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
      answer: (context) =>
        untilUnchanged(() => answerPreview(previews, context, context.visit.scope, context.visit.path, size)),
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
    answer: (context) => untilUnchanged(() => answerSubtitle(context, context.visit.scope, context.visit.path)),
  }),
]

function wantedBy({ headers }: Request): Wanted {
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
  const found = await headForDownload(scope, path).catch(ifNoFile)
  const preview = previews.of(found, (entry) => identityOf(scope, path, entry), size, wantedBy(request))
  if (preview === undefined) return deliverFile(context, await openForDownload(scope, path), { name, inline })
  const { version, contentType, make } = preview
  return deliverRendition(context, {
    entry: found.entry,
    version,
    contentType,
    disposition: dispositionOf(inline ? 'inline' : 'attachment', name),
    vary: 'Accept',
    make: () =>
      make({
        get signal() {
          return request.signal
        },
        get client() {
          return keyOf(context)
        },
        reopen: () => openForDownload(scope, path),
      }),
  })
}

/** Subtitles of any kind as WebVTT. */
async function answerSubtitle(context: RenditionContext, scope: Scope, path: VirtualPath): Promise<Response> {
  const { request, query } = context
  const { kind, name } = await scope.stat(path)
  if (kind === 'folder') throw new Failure('invalid', 'this is a folder')
  requireSubtitle(name)
  const file = await openForDownload(scope, path)
  const { entry } = file
  file.close()
  return deliverRendition(context, {
    entry,
    version: `${entry.version.slice(0, -1)}-vtt"`,
    contentType: 'text/vtt',
    disposition: dispositionOf(query.inline ? 'inline' : 'attachment', name),
    make: () => subtitleIn({ version: entry.version, reopen: () => openForDownload(scope, path) }, request.signal),
  })
}

const mostTries = 3

/** The headers of an answer belong to the version of the file that was found, so a changed file is answered anew. */
async function untilUnchanged(answer: () => Promise<Response>): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await answer()
    } catch (error) {
      if (!isFailure(error, 'changed-meanwhile') || tries === mostTries) throw error
    }
  }
}

/** A folder, a pipe or the like. */
function ifNoFile(error: unknown): never {
  throw isFailure(error, 'invalid') ? noPreview() : error
}
