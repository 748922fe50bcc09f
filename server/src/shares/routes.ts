import { type SharedResource, ShareTerms } from '@filestead/contract'
import type { Limits } from '../access/limits.ts'
import { forUsers, forVisitors, type Route, type VisitorContext } from '../access/routes.ts'
import { answerArchive, chosenByForm } from '../archives/answer.ts'
import { archiveOf } from '../archives/archive.ts'
import { parseFormat } from '../archives/formats.ts'
import { parseSelection, type Selection } from '../archives/selection.ts'
import { deliverFile } from '../files/answer-file.ts'
import { answerListing } from '../files/answer-listing.ts'
import { browse, toJson } from '../files/browse.ts'
import { readFile } from '../files/read.ts'
import { done, json } from '../http/answers.ts'
import { jsonOf } from '../http/body.ts'
import { shortened } from '../http/logged-path.ts'
import { createShare, dropShare, listShares, type ShareDeps, sharesOf } from './shares.ts'

export interface ShareOptions {
  detectByContent: boolean
  limits: Limits
}

export const shareRoutes = (deps: ShareDeps, options: ShareOptions): Route[] => [
  forUsers('GET', '/api/shares', ['share'], async ({ scope, request }) =>
    json(await listShares(deps, scope.actor), request),
  ),
  forUsers('GET', '/api/share/*', ['share'], async ({ scope, path, request }) =>
    json(await sharesOf(deps, scope.actor, path), request),
  ),
  forUsers('POST', '/api/share/*', ['share'], async (context) => {
    const link = await createShare(deps, context.scope, context.path, await jsonOf(context, ShareTerms))
    context.note({ link: shortened(link.hash) })
    return json(link, context.request)
  }),
  forUsers('DELETE', '/api/share/*', ['share'], async ({ scope, path }) => {
    await dropShare(deps, scope.actor, path.slice(1))
    return done()
  }),
  forVisitors('GET', '/api/public/share/*', (context) => answerShared(context, options)),
  forVisitors('GET', '/api/public/dl/*', (context) => answerDownload(context, options), { takesAnyName: true }),
  forVisitors('POST', '/api/public/dl/*', (context) => answerChosen(context, options)),
]

async function answerShared(context: VisitorContext, options: ShareOptions): Promise<Response> {
  const { request, visit } = context
  const { scope, path, name, isFolder, isChangeable, grant } = visit
  const entry = await scope.stat(path)
  const shown = path !== '/' && context.endsWithSlash ? `${path}/` : path
  if (entry.kind === 'folder') {
    const { detectByContent, limits } = options
    return answerListing(context, limits, async (large) => {
      const browsed = await browse(scope, path, { detectByContent, asked: shown, signal: context.cancellation, large })
      // Old clients show the name of what is shared, also further down.
      return withToken(toJson({ ...browsed, folder: { ...browsed.folder, name } }), grant)
    })
  }
  const { file, resource } = isFolder
    ? await readFile(scope, path, entry, { asked: shown, signal: context.cancellation, isChangeable })
    : await readFile(scope, path, { ...entry, name }, { asked: '', signal: context.cancellation, isChangeable })
  file?.close()
  const answer: SharedResource = grant === undefined ? resource : { ...resource, token: grant }
  return json(answer, request)
}

async function answerDownload(context: VisitorContext, options: ShareOptions): Promise<Response> {
  const { scope, path, isFolder, name } = context.visit
  const entry = await scope.stat(path)
  if (entry.kind === 'folder') return answerFolder(context, options)
  const inline = context.query.get('inline') === 'true'
  return deliverFile(context.request, await scope.open(path), { name: isFolder ? entry.name : name, inline })
}

const answerFolder = (context: VisitorContext, options: ShareOptions): Promise<Response> =>
  answerPacked(
    context,
    parseSelection(context.visit.path, context.query.get('files')),
    context.query.get('algo'),
    options,
  )

/** What does not fit into an address. */
async function answerChosen(context: VisitorContext, options: ShareOptions): Promise<Response> {
  const { selection, algo } = await chosenByForm(context, context.visit.scope, context.visit.path)
  return answerPacked(context, selection, algo, options)
}

async function answerPacked(
  context: VisitorContext,
  selection: Selection,
  algo: string | undefined,
  { limits }: ShareOptions,
): Promise<Response> {
  const { scope, name } = context.visit
  const options = { format: parseFormat(algo), rootName: name || 'files' }
  return answerArchive(context, limits, (signal) => archiveOf(scope, selection, { ...options, signal }))
}

/** A listing comes in pieces; the token goes into the last one. */
function* withToken(pieces: Iterable<string>, token: string | undefined): Generator<string> {
  let last = ''
  for (const piece of pieces) {
    if (last !== '') yield last
    last = piece
  }
  yield token === undefined ? last : `${last.slice(0, -1)},"token":${JSON.stringify(token)}}`
}
