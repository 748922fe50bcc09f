import {
  type ChecksumAlgorithm,
  CreateQuery,
  checksumAlgorithms,
  FolderResource,
  RecursiveEntry,
  Resource,
  TransferQuery,
  Usage,
  Yes,
} from '@filestead/contract'
import { z } from 'zod'
import { may, requirePermission } from '../access/actor.ts'
import { keyOf, type Limits, lasting } from '../access/limits.ts'
import { type Route, route, type UserContext } from '../access/routes.ts'
import { rootNameOf } from '../archives/selection.ts'
import type { Changes } from '../changes/pipeline.ts'
import { copyEntry, createFile, createFolder, moveEntry, removeEntry, saveFile } from '../changes/verbs.ts'
import { Failure, isFailure } from '../failure.ts'
import { binaryHeaders, done, json, jsonHeaders } from '../http/answers.ts'
import { compressed, compressedStream } from '../http/compress.ts'
import { filesOfAnswers } from '../http/held-files.ts'
import { bytesBody } from '../http/input.ts'
import { returnsBytes, returnsFile, returnsJson, returnsNothing, returnsStatusLine } from '../http/returns.ts'
import { holdingSlot } from '../http/stream-slot.ts'
import { parsePath, rebase, type VirtualPath } from '../storage/path.ts'
import type { Entry } from '../storage/port.ts'
import { versionOf } from '../storage/version.ts'
import { answerChosen, answerDownload, type Download, DownloadQuery, downloadForm } from './answer-download.ts'
import { answerListing } from './answer-listing.ts'
import { browse, toJson } from './browse.ts'
import { checksumOf, parseAlgorithm } from './checksum.ts'
import { flatJson, listFlat, requireFolder } from './flat.ts'
import { carriesContent, contentJson, mayBeLongText, type ReadFile, readFile, shortContentJson } from './read.ts'

export interface FileOptions {
  changes: Changes
  detectByContent: boolean
  limits: Limits
}

const ResourceQuery = z.object({
  checksum: z
    .string()
    .optional()
    .describe(`${checksumAlgorithms.join(', ')} of a file`),
  recursive: Yes('everything below a folder as one flat list'),
})
type ResourceContext = UserContext<z.output<typeof ResourceQuery>>

const etagOfFile = '; the ETag of the file'
const onePath = { path: '/api/resources/*' } as const

export const fileRoutes = (options: FileOptions): Route[] => [
  // An old name for the flat list. A real folder of that name comes first.
  route({
    method: 'GET',
    path: '/api/resources/recursive/*',
    access: [],
    summary: 'The flat list of a folder, under its old address.',
    query: ResourceQuery,
    returns: returnsJson(z.array(RecursiveEntry), 'A list'),
    sample: { at: 'box' },
    async answer(context) {
      const literal = rebase(parsePath('/recursive'), context.path)
      const entry = await context.scope.stat(literal).catch(ifMissing)
      if (entry === undefined) return answerFlat(context, context.path, options)
      return context.query.recursive ? answerFlat(context, literal, options) : answerEntry(context, literal, options)
    },
  }),
  route({
    ...onePath,
    method: 'GET',
    access: [],
    summary: 'A folder with its entries, or a file with its facts and, for text, its content.',
    details: 'With the header `X-Encoding: true` a text file is answered as its bytes. Files carry an ETag.',
    query: ResourceQuery,
    returns: returnsJson(z.union([FolderResource, Resource, z.array(RecursiveEntry)]), 'The resource'),
    sample: { at: 'box/' },
    answer: (context) =>
      context.query.recursive
        ? answerFlat(context, context.path, options)
        : answerEntry(context, context.path, options),
  }),
  route({
    ...onePath,
    method: 'POST',
    access: ['create'],
    summary: 'Create a file from the body, or a folder where the path ends with a slash.',
    query: CreateQuery,
    body: bytesBody(),
    returns: returnsStatusLine(etagOfFile),
    sample: { at: 'made.txt', body: 'made' },
    async answer(context) {
      const { scope, path } = context
      if (context.endsWithSlash || path === '/') {
        await createFolder(options.changes, scope, path)
        return done()
      }
      const entry = await createFile(options.changes, scope, path, context.body(), context.query)
      return done(200, { etag: versionOf(entry) })
    },
  }),
  route({
    ...onePath,
    method: 'PUT',
    access: ['modify'],
    summary: 'Save a new version of a file from the body.',
    details: 'With If-Match only while the file is still that version; else 412.',
    body: bytesBody(),
    returns: returnsStatusLine(etagOfFile),
    sample: { at: 'kept.txt', body: 'changed' },
    async answer(context) {
      if (context.endsWithSlash) throw new Failure('not-allowed-here', 'A folder cannot be saved')
      const ifMatch = context.request.headers.get('if-match')
      const entry = await saveFile(options.changes, context.scope, context.path, context.body(), { ifMatch })
      return done(200, { etag: versionOf(entry) })
    },
  }),
  route({
    ...onePath,
    method: 'PATCH',
    access: { byQuery: 'action', permissions: { copy: 'create', rename: 'rename' } },
    summary: 'Copy, rename or move.',
    query: TransferQuery,
    returns: returnsStatusLine(),
    sample: { at: 'kept.txt', query: { action: 'copy', destination: '/box/other.txt' } },
    async answer(context) {
      const { action, destination, onConflict } = context.query
      const { signal } = context.request
      const transfer = { from: context.path, to: parseDestination(destination), onConflict, signal }
      if (action !== 'copy') await moveEntry(options.changes, context.scope, transfer)
      else {
        using _place = await options.limits.copies.enter(keyOf(context), context.request)
        await copyEntry(options.changes, context.scope, transfer)
      }
      return done()
    },
  }),
  route({
    ...onePath,
    method: 'DELETE',
    access: ['delete'],
    summary: 'Remove a file, or a folder with all it holds.',
    returns: returnsNothing(),
    sample: { at: 'kept.txt' },
    async answer({ scope, path }) {
      await removeEntry(options.changes, scope, path)
      return done(204)
    },
  }),
  route({
    method: 'GET',
    path: '/api/raw/*',
    access: ['download'],
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
    summary: 'Download some of what is in a folder as an archive, when the names are too many for an address.',
    details: 'Takes a form of up to 8 MiB.',
    body: downloadForm,
    returns: returnsBytes('The bytes'),
    sample: { at: 'box', body: { files: 'in.txt' } },
    answer: (context) => answerChosen(context, downloadOf(context), options.limits),
  }),
  route({
    method: 'GET',
    path: '/api/usage/*',
    access: [],
    summary: 'Size and use of the disk that holds a folder.',
    returns: returnsJson(Usage, 'In bytes'),
    sample: { at: '' },
    async answer(context) {
      const { scope, path } = context
      const { kind } = await scope.stat(path)
      return json(kind === 'folder' ? await scope.usage(path) : { total: 0, used: 0 }, context)
    },
  }),
]

const downloadOf = ({ scope, path }: UserContext): Download => ({ scope, path, rootName: rootNameOf(scope.actor) })

/** A folder is tried first: its listing tells its own facts, so the usual answer takes one look at the disk. */
async function answerEntry(context: ResourceContext, path: VirtualPath, options: FileOptions): Promise<Response> {
  const { scope } = context
  try {
    const { detectByContent } = options
    const signal = context.cancellation
    return await answerListing(context, options.limits, async (large) =>
      toJson(await browse(scope, path, { detectByContent, asked: pathAsked(context, path), signal, large })),
    )
  } catch (error) {
    // Not a folder, or nothing at all; the second look says which.
    if (!isFailure(error, 'not-found')) throw error
  }
  const entry = await scope.stat(path)
  if (entry.kind === 'folder') throw new Failure('not-found', 'The folder has just gone')
  return answerFile(context, path, entry, options.limits)
}

async function answerFile(
  context: ResourceContext,
  path: VirtualPath,
  entry: Entry,
  limits: Limits,
): Promise<Response> {
  const { scope, request } = context
  const algorithm = context.query.checksum || undefined
  const wantsBytes = request.headers.get('x-encoding') === 'true'
  if (algorithm !== undefined || wantsBytes) requirePermission(scope.actor, 'download')

  const options = { asked: pathAsked(context, path), signal: context.cancellation }
  const read = () => readFile(scope, path, entry, options)
  if (algorithm !== undefined) return answerChecksum(context, limits, parseAlgorithm(algorithm), read)
  // HEAD takes no text. Without the right to change it, a request for bytes gets the text.
  const wantsText = request.method !== 'HEAD' && !(wantsBytes && may(scope.actor, 'modify'))
  if (wantsText && mayBeLongText(entry)) return answerLongText(context, limits, read)

  const { file, resource } = await read()
  if (file === undefined) return json(resource, context)
  const headers = { etag: versionOf(file.entry) }
  if (wantsBytes && resource.type === 'text') {
    context.note(sendsText)
    filesOfAnswers.hold(file)
    return new Response(file.content, { headers: { ...binaryHeaders, ...headers, connection: 'close' } })
  }
  try {
    if (!carriesContent(scope, resource)) return json(resource, context, headers)
    // Without the text its length is unknown, and the length of anything else would be wrong.
    if (request.method === 'HEAD')
      return new Response(null, { headers: { ...jsonHeaders, ...headers, 'transfer-encoding': 'chunked' } })
    if (!wantsText) return json(resource, context, headers)
    context.note(sendsText)
    return compressed(await shortContentJson(resource, file), context, { ...jsonHeaders, ...headers })
  } finally {
    file.close()
  }
}

/** The log tells an answer with the content of a file from a listing by this. */
const sendsText = { sends: 'text' }

/** A few at a time, because each keeps a file open and a compressor at work. A request that waits holds nothing. */
async function answerLongText(context: UserContext, limits: Limits, read: () => Promise<ReadFile>): Promise<Response> {
  const { scope } = context
  const turn = await lasting(limits.texts, context)
  try {
    const { file, resource } = await read()
    const headers = { ...(file && { etag: versionOf(file.entry) }) }
    if (file === undefined || !carriesContent(scope, resource)) {
      file?.close()
      turn.end()
      return json(resource, context, headers)
    }
    context.note(sendsText)
    turn.whenOver(file.close)
    const pieces = holdingSlot(contentJson(resource, file, turn.signal), turn)
    return compressedStream(pieces, context, { ...jsonHeaders, ...headers }, turn.signal)
  } catch (error) {
    turn.end()
    throw error
  }
}

async function answerChecksum(
  context: UserContext,
  { checksums }: Limits,
  algorithm: ChecksumAlgorithm,
  read: () => Promise<ReadFile>,
): Promise<Response> {
  const { request } = context
  using _place = await checksums.enter(keyOf(context), request)
  request.signal.throwIfAborted()
  const { file, resource } = await read()
  if (file === undefined) return json(resource, context)
  try {
    const sum = await checksumOf(file, algorithm, request.signal)
    return json({ ...resource, checksums: { [algorithm]: sum } }, context, { etag: versionOf(file.entry) })
  } finally {
    file.close()
  }
}

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

/** The answer repeats the path as it was asked for, with the slash at its end. */
const pathAsked = (context: UserContext, path: VirtualPath): string =>
  context.endsWithSlash && path !== '/' ? `${path}/` : path

function ifMissing(error: unknown): undefined {
  if (!isFailure(error, 'not-found') && !isFailure(error, 'forbidden')) throw error
}
