import { type ChecksumAlgorithm, CreateQuery, TransferQuery } from '@filestead/contract'
import { may, requirePermission } from '../access/actor.ts'
import { keyOf, type Limits, lasting } from '../access/limits.ts'
import { forForms, forUsers, type Route, type UserContext } from '../access/routes.ts'
import { answerArchive, chosenByForm } from '../archives/answer.ts'
import { archiveOf } from '../archives/archive.ts'
import { parseFormat } from '../archives/formats.ts'
import { parseSelection, rootNameOf, type Selection } from '../archives/selection.ts'
import {
  type ChangeDeps,
  copyEntry,
  createFile,
  createFolder,
  moveEntry,
  removeEntry,
  saveFile,
} from '../changes/change.ts'
import { Failure, isFailure } from '../failure.ts'
import { binaryHeaders, done, json, jsonHeaders } from '../http/answers.ts'
import { bytesOf, lengthOf, queryOf } from '../http/body.ts'
import { compressed, compressedStream } from '../http/compress.ts'
import { filesOfAnswers } from '../http/held-files.ts'
import { heldFor } from '../http/lasting.ts'
import { parsePath, rebase, type VirtualPath } from '../storage/path.ts'
import type { Entry } from '../storage/port.ts'
import { versionOf } from '../storage/version.ts'
import { deliverFile } from './answer-file.ts'
import { answerListing } from './answer-listing.ts'
import { browse, toJson } from './browse.ts'
import { checksumOf, parseAlgorithm } from './checksum.ts'
import { flatJson, listFlat, requireFolder } from './flat.ts'
import {
  carriesContent,
  contentJson,
  mayBeLongText,
  openForDownload,
  type ReadFile,
  readFile,
  shortContentJson,
} from './read.ts'

export interface FileOptions extends ChangeDeps {
  detectByContent: boolean
  limits: Limits
}

export const fileRoutes = (options: FileOptions): Route[] => [
  // An old name for the flat list. A real folder of that name comes first.
  forUsers('GET', '/api/resources/recursive/*', [], async (context) => {
    const literal = rebase(parsePath('/recursive'), context.path)
    const entry = await context.scope.stat(literal).catch(ifMissing)
    if (entry === undefined) return answerFlat(context, context.path, options)
    const isFlat = context.query.get('recursive') === 'true'
    return isFlat ? answerFlat(context, literal, options) : answerEntry(context, literal, options)
  }),
  forUsers('GET', '/api/resources/*', [], async (context) => {
    if (context.query.get('recursive') === 'true') return answerFlat(context, context.path, options)
    return answerEntry(context, context.path, options)
  }),
  forUsers('POST', '/api/resources/*', ['create'], (context) => answerCreate(options, context)),
  forUsers('PUT', '/api/resources/*', ['modify'], (context) => answerSave(options, context)),
  forUsers(
    'PATCH',
    '/api/resources/*',
    { byQuery: 'action', permissions: { copy: 'create', rename: 'rename' } },
    (context) => answerTransfer(options, context),
  ),
  forUsers('DELETE', '/api/resources/*', ['delete'], async ({ scope, path }) => {
    await removeEntry(options, scope, path)
    return done(204)
  }),
  forUsers('GET', '/api/raw/*', ['download'], (context) => answerRaw(context, options)),
  forForms('/api/raw/*', ['download'], (context) => answerChosen(context, options)),
  forUsers('GET', '/api/usage/*', [], async ({ scope, path, request }) => {
    const { kind } = await scope.stat(path)
    return json(kind === 'folder' ? await scope.usage(path) : { total: 0, used: 0 }, request)
  }),
]

/** A folder is tried first: its listing tells its own facts, so the usual answer takes one look at the disk. */
async function answerEntry(context: UserContext, path: VirtualPath, options: FileOptions): Promise<Response> {
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

async function answerFile(context: UserContext, path: VirtualPath, entry: Entry, limits: Limits): Promise<Response> {
  const { scope, request } = context
  const algorithm = context.query.get('checksum') || undefined
  const wantsBytes = request.headers.get('x-encoding') === 'true'
  if (algorithm !== undefined || wantsBytes) requirePermission(scope.actor, 'download')

  const options = { asked: pathAsked(context, path), signal: context.cancellation }
  const read = () => readFile(scope, path, entry, options)
  if (algorithm !== undefined) return answerChecksum(context, limits, parseAlgorithm(algorithm), read)
  // Nobody takes the text when only the head was context for. Those who may not change it get no bytes either.
  const wantsText = request.method !== 'HEAD' && !(wantsBytes && may(scope.actor, 'modify'))
  if (wantsText && mayBeLongText(entry)) return answerLongText(context, limits, read)

  const { file, resource } = await read()
  if (file === undefined) return json(resource, request)
  const headers = { etag: versionOf(file.entry) }
  if (wantsBytes && resource.type === 'text') {
    context.note(sendsText)
    filesOfAnswers.hold(file)
    return new Response(file.content, { headers: { ...binaryHeaders, ...headers, connection: 'close' } })
  }
  try {
    if (!wantsText || !carriesContent(scope, resource)) return json(resource, request, headers)
    context.note(sendsText)
    return compressed(await shortContentJson(resource, file), request, { ...jsonHeaders, ...headers })
  } finally {
    file.close()
  }
}

/** The log tells an answer with the content of a file from a listing by this. */
const sendsText = { sends: 'text' }

/** A few at a time, because each keeps a file open and a compressor at work. Those who wait hold nothing. */
async function answerLongText(context: UserContext, limits: Limits, read: () => Promise<ReadFile>): Promise<Response> {
  const { scope, request } = context
  const turn = await lasting(limits.texts, context)
  try {
    const { file, resource } = await read()
    const headers = { ...(file && { etag: versionOf(file.entry) }) }
    if (file === undefined || !carriesContent(scope, resource)) {
      file?.close()
      turn.end()
      return json(resource, request, headers)
    }
    context.note(sendsText)
    turn.whenOver(file.close)
    const pieces = heldFor(contentJson(resource, file, turn.signal), turn)
    return compressedStream(pieces, request, { ...jsonHeaders, ...headers }, turn.signal)
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
  if (file === undefined) return json(resource, request)
  try {
    const sum = await checksumOf(file, algorithm, request.signal)
    return json({ ...resource, checksums: { [algorithm]: sum } }, request, { etag: versionOf(file.entry) })
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
  const pieces = heldFor(flatJson(listFlat(scope, path, turn.signal)), turn)
  return compressedStream(pieces, request, jsonHeaders, turn.signal)
}

async function answerCreate(deps: ChangeDeps, context: UserContext): Promise<Response> {
  const { scope } = context
  if (context.endsWithSlash || context.path === '/') {
    await createFolder(deps, scope, context.path)
    return done()
  }
  const incoming = { bytes: bytesOf(context), length: lengthOf(context) }
  const entry = await createFile(deps, scope, context.path, incoming, queryOf(context, CreateQuery))
  return done(200, { etag: versionOf(entry) })
}

async function answerSave(deps: ChangeDeps, context: UserContext): Promise<Response> {
  if (context.endsWithSlash) throw new Failure('not-allowed-here', 'A folder cannot be saved')
  const incoming = { bytes: bytesOf(context), length: lengthOf(context) }
  const ifMatch = context.request.headers.get('if-match')
  const entry = await saveFile(deps, context.scope, context.path, incoming, { ifMatch })
  return done(200, { etag: versionOf(entry) })
}

async function answerTransfer(deps: FileOptions, context: UserContext): Promise<Response> {
  const { destination, onConflict } = queryOf(context, TransferQuery)
  const transfer = { from: context.path, to: parseDestination(destination), onConflict, signal: context.request.signal }
  if (context.query.get('action') !== 'copy') await moveEntry(deps, context.scope, transfer)
  else {
    using _place = await deps.limits.copies.enter(keyOf(context), context.request)
    await copyEntry(deps, context.scope, transfer)
  }
  return done()
}

async function answerRaw(context: UserContext, options: FileOptions): Promise<Response> {
  const { scope, request } = context
  const path = context.path
  const { kind, name } = await scope.stat(path)
  if (kind === 'folder') return answerFolder(context, path, options)
  const file = await openForDownload(scope, path)
  return deliverFile(request, file, { name, inline: context.query.get('inline') === 'true' })
}

async function answerFolder(context: UserContext, folder: VirtualPath, options: FileOptions): Promise<Response> {
  requirePermission(context.scope.actor, 'download')
  return answerPacked(context, parseSelection(folder, context.query.get('files')), context.query.get('algo'), options)
}

/** What does not fit into an address. */
async function answerChosen(context: UserContext, options: FileOptions): Promise<Response> {
  const { selection, algo } = await chosenByForm(context, context.scope, context.path)
  return answerPacked(context, selection, algo, options)
}

function answerPacked(
  context: UserContext,
  selection: Selection,
  algo: string | undefined,
  { limits }: FileOptions,
): Promise<Response> {
  const { scope } = context
  const options = { format: parseFormat(algo), rootName: rootNameOf(scope.actor) }
  return answerArchive(context, limits, (signal) => archiveOf(scope, selection, { ...options, signal }))
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

/** The answer repeats the path as it was context for, with the slash at its end. */
const pathAsked = (context: UserContext, path: VirtualPath): string =>
  context.endsWithSlash && path !== '/' ? `${path}/` : path

function ifMissing(error: unknown): undefined {
  if (!isFailure(error, 'not-found') && !isFailure(error, 'forbidden')) throw error
}
