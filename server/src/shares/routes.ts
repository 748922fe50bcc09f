import { type SharedResource, ShareTerms } from '@filestead/contract'
import { archiveOf } from '../files/archive/archive.ts'
import { parseFormat } from '../files/archive/formats.ts'
import { parseSelection, type Selection } from '../files/archive/selection.ts'
import { browse, toJson } from '../files/browse.ts'
import { readFile } from '../files/read.ts'
import { done, json } from '../http/answers.ts'
import { answerArchive, chosenByForm } from '../http/archives.ts'
import { jsonOf } from '../http/body.ts'
import { deliverFile } from '../http/downloads.ts'
import type { Limits } from '../http/limits.ts'
import { answerListing } from '../http/listings.ts'
import { type AskedByVisitor, forUsers, forVisitors, leavingOf, type Route } from '../http/routes.ts'
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
    json(await sharesOf(deps, scope.actor, path()), request),
  ),
  forUsers('POST', '/api/share/*', ['share'], async (asked) =>
    json(await createShare(deps, asked.scope, asked.path(), await jsonOf(asked, ShareTerms)), asked.request),
  ),
  forUsers('DELETE', '/api/share/*', ['share'], async ({ scope, path }) => {
    await dropShare(deps, scope.actor, path().slice(1))
    return done()
  }),
  forVisitors('GET', '/api/public/share/*', (asked) => answerShared(asked, options)),
  forVisitors('GET', '/api/public/dl/*', (asked) => answerDownload(asked, options), { takesAnyName: true }),
  forVisitors('POST', '/api/public/dl/*', (asked) => answerChosen(asked, options)),
]

async function answerShared(asked: AskedByVisitor, options: ShareOptions): Promise<Response> {
  const { request, visit } = asked
  const { scope, path, name, isFolder, isChangeable, grant } = visit
  const entry = await scope.stat(path)
  const shown = path !== '/' && asked.endsWithSlash() ? `${path}/` : path
  if (entry.kind === 'folder') {
    const { detectByContent, limits } = options
    return answerListing(asked, limits, async (large) => {
      const browsed = await browse(scope, path, { detectByContent, asked: shown, signal: leavingOf(request), large })
      // Old clients show the name of what is shared, also further down.
      return withToken(toJson({ ...browsed, folder: { ...browsed.folder, name } }), grant)
    })
  }
  const { file, resource } = isFolder
    ? await readFile(scope, path, entry, { asked: shown, signal: leavingOf(request), isChangeable })
    : await readFile(scope, path, { ...entry, name }, { asked: '', signal: leavingOf(request), isChangeable })
  file?.close()
  const answer: SharedResource = grant === undefined ? resource : { ...resource, token: grant }
  return json(answer, request)
}

async function answerDownload(asked: AskedByVisitor, options: ShareOptions): Promise<Response> {
  const { scope, path, isFolder, name } = asked.visit
  const entry = await scope.stat(path)
  if (entry.kind === 'folder') return answerFolder(asked, options)
  const inline = asked.query('inline') === 'true'
  return deliverFile(asked.request, await scope.open(path), { name: isFolder ? entry.name : name, inline })
}

const answerFolder = (asked: AskedByVisitor, options: ShareOptions): Promise<Response> =>
  answerPacked(asked, parseSelection(asked.visit.path, asked.query('files')), asked.query('algo'), options)

/** What does not fit into an address. */
async function answerChosen(asked: AskedByVisitor, options: ShareOptions): Promise<Response> {
  const { selection, algo } = await chosenByForm(asked, asked.visit.scope, asked.visit.path)
  return answerPacked(asked, selection, algo, options)
}

async function answerPacked(
  asked: AskedByVisitor,
  selection: Selection,
  algo: string | undefined,
  { limits }: ShareOptions,
): Promise<Response> {
  const { scope, name } = asked.visit
  const options = { format: parseFormat(algo), rootName: name || 'files' }
  return answerArchive(asked, limits, (signal) => archiveOf(scope, selection, { ...options, signal }))
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
