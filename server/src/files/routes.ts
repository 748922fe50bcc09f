import {
  ArchiveListing,
  ArchiveQuery,
  CreateQuery,
  destinationHeader,
  encodePath,
  FolderNames,
  FolderResource,
  RecursiveEntry,
  Resource,
  TransferQuery,
  Usage,
  Yes,
} from '@filestead/contract'
import { z } from 'zod'
import { keyOf, type Limits, lasting } from '../access/limits.ts'
import { type Route, route, type UserContext } from '../access/routes.ts'
import type { OpenedArchives } from '../archives/reading/opened.ts'
import { rootNameOf } from '../archives/selection.ts'
import { changesOf } from '../changes/batch.ts'
import type { Changes } from '../changes/pipeline.ts'
import { copyEntry, createFile, createFolder, moveEntry, removeEntry, saveFile } from '../changes/verbs.ts'
import { Failure, ignoring } from '../failure.ts'
import { done, json, jsonHeaders } from '../http/answers.ts'
import { compressedStream } from '../http/compress.ts'
import { bytesBody } from '../http/input.ts'
import {
  returnsBytes,
  returnsFile,
  returnsJson,
  returnsNothing,
  returnsStatusLine,
  returnsText,
} from '../http/returns.ts'
import { holdingSlot } from '../http/stream-slot.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { Location } from '../mounts/location.ts'
import { parsePath, rebase, type VirtualPath } from '../storage/path.ts'
import { answerRemoval, answerTransfer, waitForJob } from './answer-change.ts'
import { answerChosen, answerDownload, type Download, DownloadQuery, downloadForm } from './answer-download.ts'
import { answerFolderSize } from './answer-folder-size.ts'
import { answerInside, answerMember, MemberQuery } from './answer-inside.ts'
import { answerListing } from './answer-listing.ts'
import { answerResource, ResourceQuery } from './answer-resource.ts'
import { flatJson, listFlat, requireFolder } from './flat.ts'
import { folderNames, namesJson } from './folder-names.ts'
import { EntryNames, namedEntries } from './named-entries.ts'
import { type KeptSize, usageOf } from './usage.ts'

export interface FileOptions {
  archives: OpenedArchives
  changes: Changes
  detectByContent: boolean
  limits: Limits
  jobs: Jobs
  baseURL: string
  keptSize: KeptSize
  /** Does what is done there go file by file, over the network? */
  isSlow(location: Location): boolean
}

const RemoveQuery = z.object({ forGood: Yes('nothing of it is kept') })

const etagOfFile = '; the ETag of the file'
/** Does the sender want to replace nothing? */
const isOnlyNew = (headers: Headers): boolean => headers.get('if-none-match') === '*'
const onePath = { path: '/api/resources/*' } as const

export const fileRoutes = (options: FileOptions): Route[] => [
  // An old name for the flat list. A real folder of that name comes first.
  route({
    method: 'GET',
    path: '/api/resources/recursive/*',
    access: [],
    guests: true,
    past: true,
    summary: 'The flat list of a folder, under its old address.',
    query: ResourceQuery,
    returns: returnsJson(z.array(RecursiveEntry), 'A list'),
    sample: { at: 'box' },
    async answer(context) {
      const literal = rebase(parsePath('/recursive'), context.path)
      const entry = await context.scope.stat(literal).catch(ignoring('not-found', 'forbidden'))
      if (entry === undefined) return answerFlat(context, context.path, options)
      return context.query.recursive ? answerFlat(context, literal, options) : answerResource(context, literal, options)
    },
  }),
  route({
    ...onePath,
    method: 'GET',
    access: [],
    guests: true,
    past: true,
    summary: 'A folder with its entries, or a file with its facts and, for text, its content.',
    details:
      'With the header `X-Encoding: true` a text file is answered as its bytes. Files carry an ETag, and folders of up to a thousand entries. Larger ones tell their order in `X-Sorting`.',
    query: ResourceQuery,
    returns: returnsJson(z.union([FolderResource, Resource, z.array(RecursiveEntry)]), 'The resource', {
      304: 'The client has this version of the folder',
    }),
    sample: { at: 'box/' },
    answer: (context) =>
      context.query.recursive
        ? answerFlat(context, context.path, options)
        : answerResource(context, context.path, options),
  }),
  route({
    ...onePath,
    method: 'POST',
    access: ['create'],
    guests: true,
    summary: 'Create a file from the body, or a folder where the path ends with a slash.',
    details:
      'With `override` and If-Match only over that version of a file, else 412; with `If-None-Match: *` over none, else 409.',
    query: CreateQuery,
    body: bytesBody(),
    returns: returnsStatusLine(etagOfFile),
    sample: { at: 'made.txt', body: 'made' },
    async answer(context) {
      const { scope, path } = context
      if (context.endsWithSlash || path === '/') {
        await createFolder(changesOf(options.changes, context), scope, path)
        return done()
      }
      const { headers } = context.request
      const entry = await createFile(changesOf(options.changes, context), scope, path, context.body(), {
        override: context.query.override && !isOnlyNew(headers),
        ifMatch: headers.get('if-match'),
      })
      return done(200, { etag: entry.version })
    },
  }),
  route({
    ...onePath,
    method: 'PUT',
    access: ['modify'],
    guests: true,
    summary: 'Save a new version of a file from the body.',
    details: 'With If-Match only while the file is still that version; else 412.',
    body: bytesBody(),
    returns: returnsStatusLine(etagOfFile),
    sample: { at: 'kept.txt', body: 'changed' },
    async answer(context) {
      if (context.endsWithSlash) throw new Failure('not-allowed-here', 'A folder cannot be saved')
      const { headers } = context.request
      const entry = await saveFile(changesOf(options.changes, context), context.scope, context.path, context.body(), {
        // No version is the demand of a sender that replaces nothing.
        ifMatch: isOnlyNew(headers) ? '' : headers.get('if-match'),
      })
      return done(200, { etag: entry.version })
    },
  }),
  route({
    ...onePath,
    method: 'PATCH',
    access: { byQuery: 'action', permissions: { copy: 'create', rename: 'rename' } },
    guests: true,
    summary: 'Copy, rename or move.',
    details:
      'The header `X-Destination` tells the path that the entry has now, encoded as in an address. With `Prefer: respond-async` what takes longer than a second becomes a job; on another server than this one, what takes longer than half a minute.',
    query: TransferQuery,
    returns: { ...returnsStatusLine(), also: { 202: 'The job, which goes on' } },
    sample: { at: 'kept.txt', query: { action: 'copy', destination: '/box/other.txt' } },
    async answer(context) {
      const { action, destination, onConflict } = context.query
      const kind = action === 'copy' ? 'copy' : 'move'
      const to = parseDestination(destination)
      const wait = waitForJob(context, options, [context.path, to])
      if (wait !== undefined) return answerTransfer(context, options, { kind, to, onConflict, wait })
      const { signal } = context.request
      const changes = changesOf(options.changes, context)
      const transfer = { from: context.path, to, onConflict, signal }
      const arrived = await (action === 'copy' ? copy() : moveEntry(changes, context.scope, transfer))
      context.note({ to: arrived })
      // Where the name was taken, only the server knows which one it has found.
      return done(200, { [destinationHeader]: encodePath(arrived) })

      async function copy() {
        using _place = await options.limits.copies.enter(keyOf(context), context.request)
        return copyEntry(changes, context.scope, transfer)
      }
    },
  }),
  route({
    ...onePath,
    method: 'DELETE',
    access: ['delete'],
    guests: true,
    summary: 'Remove a file, or a folder with all it holds.',
    details:
      'Where the root folder keeps what is removed, it goes to the trash, unless `forGood` is true. With `Prefer: respond-async` what takes longer than a second becomes a job; on another server than this one, what takes longer than half a minute.',
    query: RemoveQuery,
    returns: { ...returnsNothing(), also: { 202: 'The job, which goes on' } },
    sample: { at: 'kept.txt' },
    async answer(context) {
      const { scope, path, cancellation, query } = context
      const { forGood } = query
      const wait = waitForJob(context, options, [path])
      if (wait !== undefined) return answerRemoval(context, options, { forGood, wait })
      await removeEntry(changesOf(options.changes, context), scope, path, { signal: cancellation, forGood })
      return done(204)
    },
  }),
  route({
    method: 'POST',
    path: '/api/entries/*',
    access: [],
    guests: true,
    past: true,
    summary: 'The facts of some entries of a folder, by their names.',
    details: 'Names that are not there, or that the account does not see, are left out.',
    body: EntryNames,
    returns: returnsJson(z.array(Resource), 'The entries'),
    sample: { at: 'box/', body: { names: ['kept.txt'] } },
    async answer(context) {
      const { names } = await context.body()
      const { detectByContent } = options
      const signal = context.cancellation
      return json(await namedEntries(context.scope, context.path, names, { detectByContent, signal }), context)
    },
  }),
  route({
    method: 'GET',
    path: '/api/folders/*',
    access: [],
    guests: true,
    past: true,
    summary: 'The names of the folders in a folder, in natural order.',
    details: 'For a tree of folders, which needs nothing else of a listing.',
    returns: returnsJson(FolderNames, 'The names'),
    sample: { at: '' },
    answer: (context) =>
      answerListing(context, options.limits, async (enterLarge) =>
        namesJson(await folderNames(context.scope, context.path, { signal: context.cancellation, enterLarge })),
      ),
  }),
  route({
    method: 'GET',
    path: '/api/raw/*',
    access: ['download'],
    guests: true,
    past: true,
    summary: 'Download a file, or a folder as an archive.',
    details: 'Ranges and conditional requests work.',
    query: DownloadQuery,
    returns: returnsFile('The bytes'),
    sample: { at: 'kept.txt' },
    answer: (context) => answerDownload(context, downloadOf(context), options.limits),
  }),
  route({
    method: 'POST',
    path: '/api/raw/*',
    access: ['download'],
    guests: true,
    past: true,
    summary: 'Download some of what is in a folder as an archive, when the names are too many for an address.',
    details: 'Takes a form of up to 8 MiB.',
    body: downloadForm,
    returns: returnsBytes('The bytes'),
    sample: { at: 'box', body: { files: 'in.txt' } },
    answer: (context) => answerChosen(context, downloadOf(context), options.limits),
  }),
  route({
    method: 'GET',
    path: '/api/archive/*',
    access: ['download'],
    guests: true,
    past: true,
    summary: 'One folder of what is in an archive (zip, tar, tar.gz, tar.zst, tar.bz2, tar.xz).',
    details: 'Links, devices and names that lead out of the archive are left out and counted.',
    query: ArchiveQuery,
    returns: returnsJson(ArchiveListing, 'The entries'),
    sample: { at: 'box/packed.zip' },
    answer: (context) => answerInside(context, options),
  }),
  route({
    method: 'GET',
    path: '/api/archive-file/*',
    access: ['download'],
    guests: true,
    past: true,
    summary: 'Download one file of what is in an archive.',
    query: MemberQuery,
    returns: returnsBytes('The bytes'),
    sample: { at: 'box/packed.zip', query: { inside: '/in.txt' } },
    answer: (context) => answerMember(context, options),
  }),
  route({
    method: 'GET',
    path: '/api/folder-size/*',
    access: [],
    guests: true,
    past: true,
    summary: 'How much lies below a folder.',
    details: 'Counts what the account sees. Links count as themselves. Ends when the client leaves.',
    returns: returnsText(
      'One JSON object {bytes, files, folders, isWhole} a line, every so often while it counts; the last one is whole',
    ),
    sample: { at: 'box' },
    answer: (context) => answerFolderSize(context, options.limits),
  }),
  route({
    method: 'GET',
    path: '/api/usage/*',
    access: [],
    guests: true,
    summary: 'Size and use of the disk that holds a folder.',
    returns: returnsJson(Usage, 'In bytes'),
    sample: { at: '' },
    answer: async (context) => json(await usageOf(context.scope, context.path, options.keptSize), context),
  }),
]

const downloadOf = ({ scope, path }: UserContext): Download => ({ scope, path, rootName: rootNameOf(scope.actor) })

async function answerFlat(context: UserContext, path: VirtualPath, { limits }: FileOptions): Promise<Response> {
  const { scope, request } = context
  await requireFolder(scope, path)
  if (request.method === 'HEAD')
    return new Response(null, { headers: { ...jsonHeaders, 'transfer-encoding': 'chunked' } })
  const turn = await lasting(limits.searches, context)
  const pieces = holdingSlot(flatJson(listFlat(scope, path, turn.signal)), turn)
  return compressedStream(pieces, context, jsonHeaders, turn.signal)
}

/** Clients encode a destination twice: it is decoded once as part of the query and once more here. */
function parseDestination(destination: string): VirtualPath {
  try {
    return parsePath(decodeURIComponent(destination.replaceAll('+', ' ')))
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure(
      'invalid',
      'the destination is not valid percent-encoded UTF-8; it is decoded twice, so % is %2525',
    )
  }
}
