import { nameOf } from '@filestead/contract'
import { keyOf } from '../access/limits.ts'
import { forUsers, forVisitors, type Route, type UserContext, type VisitorContext } from '../access/routes.ts'
import type { Scope } from '../access/scope.ts'
import { Failure, isFailure } from '../failure.ts'
import { deliverFile } from '../files/answer-file.ts'
import { openForDownload } from '../files/read.ts'
import { accepts } from '../http/compress.ts'
import { dispositionOf } from '../http/downloads.ts'
import { parsePath, type VirtualPath } from '../storage/path.ts'
import { versionOf } from '../storage/version.ts'
import { requireSubtitle, subtitleIn } from '../subtitles/webvtt.ts'
import { deliverRendition } from './answer-rendition.ts'
import { noPreview, type Preview, type Previews, parseSize } from './previews.ts'
import { type Size, sizes, type Wanted } from './recipes.ts'

export const previewRoutes = (previews: Previews): Route[] => [
  forUsers('GET', '/api/preview/*', ['download'], (context) => {
    const [, size = '', ...names] = context.path.split('/')
    const [path, wanted] = [parsePath(names.join('/')), parseSize(size)]
    return untilUnchanged(() => answerPreview(previews, context.scope, path, wanted, viewOf(context)))
  }),
  forUsers('GET', '/api/subtitle/*', ['download'], (context) =>
    untilUnchanged(() => answerSubtitle(context.scope, context.path, viewOf(context))),
  ),
  ...sizes.map((size) =>
    forVisitors('GET', `/api/public/preview/${size}/*`, (context) =>
      untilUnchanged(() => answerPreview(previews, context.visit.scope, context.visit.path, size, viewOf(context))),
    ),
  ),
  forVisitors('GET', '/api/public/subtitle/*', (context) =>
    untilUnchanged(() => answerSubtitle(context.visit.scope, context.visit.path, viewOf(context))),
  ),
]

interface View {
  request: Request
  /** Who asks, as limits count it. */
  client: string
  /** To be looked at in place, not kept. */
  inline: boolean
}

const viewOf = (context: UserContext | VisitorContext): View => ({
  request: context.request,
  client: keyOf(context),
  inline: context.query.get('inline') === 'true',
})

function wantedBy({ headers }: Request): Wanted {
  const accept = headers.get('accept') ?? ''
  return { takesWebp: accepts(accept, 'image/webp'), isForShow: accept.includes('image/') }
}

/** A smaller picture of an image, or the image itself. */
async function answerPreview(previews: Previews, scope: Scope, path: VirtualPath, size: Size, view: View) {
  const { request, client, inline } = view
  const name = nameOf(path)
  const file = await openForDownload(scope, path).catch(ifNoFile)
  let preview: Preview | undefined
  try {
    preview = previews.of(file, size, wantedBy(request))
  } catch (error) {
    file.close()
    throw error
  }
  if (preview === undefined) return deliverFile(request, file, { name, inline })
  const { version, contentType, make } = preview
  file.close()
  return deliverRendition(request, {
    entry: file.entry,
    version,
    contentType,
    disposition: dispositionOf(inline ? 'inline' : 'attachment', name),
    vary: 'Accept',
    make: () => make({ signal: request.signal, client, reopen: () => openForDownload(scope, path) }),
  })
}

/** Subtitles of any kind as WebVTT. */
async function answerSubtitle(scope: Scope, path: VirtualPath, { request, inline }: View): Promise<Response> {
  const { kind, name } = await scope.stat(path)
  if (kind === 'folder') throw new Failure('invalid', 'this is a folder')
  requireSubtitle(name)
  const file = await openForDownload(scope, path)
  const { entry } = file
  file.close()
  return deliverRendition(request, {
    entry,
    version: `${versionOf(entry).slice(0, -1)}-vtt"`,
    contentType: 'text/vtt',
    disposition: dispositionOf(inline ? 'inline' : 'attachment', name),
    make: () => subtitleIn({ version: versionOf(entry), reopen: () => openForDownload(scope, path) }, request.signal),
  })
}

const mostTries = 3

/** The headers of an answer are those of the file as it was found, so all of it is done again when that has changed. */
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
