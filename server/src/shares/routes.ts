import { SharedFolder, SharedResource, ShareLink, ShareTerms } from '@filestead/contract'
import { z } from 'zod'
import type { Limits } from '../access/limits.ts'
import { type Route, route, type VisitorContext } from '../access/routes.ts'
import { answerChosen, answerDownload, type Download, DownloadQuery, downloadForm } from '../files/answer-download.ts'
import { answerListing } from '../files/answer-listing.ts'
import { browse, isBrowsed, toJson } from '../files/browse.ts'
import { readFile } from '../files/read.ts'
import { done, json } from '../http/answers.ts'
import { shortened } from '../http/logged-path.ts'
import { returnsBytes, returnsFile, returnsJson, returnsStatusLine } from '../http/returns.ts'
import { createShare, dropShare, listShares, type ShareDeps, sharedIn, sharesOf } from './shares.ts'

export interface ShareOptions {
  detectByContent: boolean
  limits: Limits
}

const passwordDetails =
  'A password goes into the header `X-SHARE-PASSWORD`, percent-encoded; the answer then carries a token.'

export const shareRoutes = (deps: ShareDeps, options: ShareOptions): Route[] => [
  route({
    method: 'GET',
    path: '/api/shares',
    access: ['share'],
    summary: 'The links of the caller; those of everybody for administrators.',
    returns: returnsJson(z.array(ShareLink), 'A list of links'),
    sample: {},
    answer: async (context) => json(await listShares(deps, context.scope), context),
  }),
  route({
    method: 'GET',
    path: '/api/share/*',
    access: ['share'],
    summary: 'The links to one file or folder.',
    returns: returnsJson(z.array(ShareLink), 'A list of links'),
    sample: { at: 'box' },
    answer: async (context) => json(await sharesOf(deps, context.scope, context.path), context),
  }),
  route({
    method: 'GET',
    path: '/api/shared/*',
    access: ['share'],
    summary: 'The names in a folder that links of the caller lead to.',
    details: 'Looks at the links alone, not at the disk: a client asks for it beside a listing.',
    returns: returnsJson(z.array(z.string()), 'A list of names'),
    sample: { at: '' },
    answer: async (context) => json(await sharedIn(deps, context.scope, context.path), context),
  }),
  route({
    method: 'POST',
    path: '/api/share/*',
    access: ['share'],
    summary: 'Make a link to a file or folder.',
    details: 'An empty `expires` makes a link that stays. A `label` is for the owner alone.',
    body: ShareTerms,
    returns: returnsJson(ShareLink, 'The link'),
    sample: { at: 'kept.txt', body: { expires: '7', unit: 'days' } },
    async answer(context) {
      const link = await createShare(deps, context.scope, context.path, await context.body())
      context.note({ link: shortened(link.hash) })
      return json(link, context)
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/share/*',
    access: ['share'],
    summary: 'Remove a link; the path is its hash.',
    returns: returnsStatusLine(),
    sample: ({ link }) => ({ at: link }),
    async answer({ scope, path }) {
      await dropShare(deps, scope.actor, path.slice(1))
      return done()
    },
  }),
  route({
    method: 'GET',
    path: '/api/public/share/*',
    access: 'visitors',
    summary: 'What a link shows; the path is its hash, then a path in what is shared.',
    details: passwordDetails,
    returns: returnsJson(z.union([SharedFolder, SharedResource]), 'The resource, without content'),
    sample: ({ link }) => ({ at: link }),
    answer: (context) => answerShared(context, options),
  }),
  route({
    method: 'GET',
    path: '/api/public/dl/*',
    access: 'visitors',
    summary: 'Download what a link shows, a folder as an archive.',
    query: DownloadQuery,
    returns: returnsFile('The bytes'),
    sample: ({ link }) => ({ at: `${link}/in.txt` }),
    takesAnyName: true,
    answer: (context) => answerDownload(context, downloadOf(context), options.limits),
  }),
  route({
    method: 'POST',
    path: '/api/public/dl/*',
    access: 'visitors',
    summary: 'Download some of what is in a shared folder as an archive, when the names are too many for an address.',
    details: 'Takes a form as `/api/raw` does.',
    body: downloadForm,
    returns: returnsBytes('The bytes'),
    sample: ({ link }) => ({ at: link, body: { files: 'in.txt' } }),
    answer: (context) => answerChosen(context, downloadOf(context), options.limits),
  }),
]

const downloadOf = ({ visit: { scope, path, isFolder, name } }: VisitorContext): Download => ({
  scope,
  path,
  name: isFolder ? undefined : name,
  rootName: name || 'files',
})

async function answerShared(context: VisitorContext, options: ShareOptions): Promise<Response> {
  const { visit } = context
  const { scope, path, name, isFolder, isChangeable } = visit
  const own = ownFieldsOf(visit)
  const shown = path !== '/' && context.endsWithSlash ? `${path}/` : path
  const { detectByContent, limits } = options
  const { cancellation: signal } = context
  return answerListing(context, limits, async (enterLarge) => {
    const found = await browse(scope, path, { detectByContent, asked: shown, signal, enterLarge })
    // Old clients show the name of the shared folder also for folders below it.
    if (isBrowsed(found)) return toJson({ ...found, folder: found.folder.with({ name }) }, own)
    const { file, resource } = isFolder
      ? await readFile(scope, path, found, { asked: shown, signal, isChangeable })
      : await readFile(
          scope,
          path,
          { ...found, entry: found.entry.with({ name }) },
          { asked: '', signal, isChangeable },
        )
    file?.close()
    return json({ ...resource, ...own } satisfies SharedResource, context)
  })
}

/** What the answer tells of the link itself: a token for one with a password, and the end of one that has an end. */
const ownFieldsOf = ({ pass, expire }: VisitorContext['visit']): Pick<SharedResource, 'token' | 'expire'> => ({
  ...(pass !== undefined && { token: pass }),
  ...(expire > 0 && { expire }),
})
