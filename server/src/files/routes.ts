import { type ChecksumAlgorithm, CreateQuery, TransferQuery } from '@filestead/contract'
import { Failure, isFailure } from '../failure.ts'
import { binaryHeaders, done, json, jsonHeaders } from '../http/answers.ts'
import { answerArchive, chosenByForm } from '../http/archives.ts'
import { bytesOf, lengthOf, queryOf } from '../http/body.ts'
import { compressed, compressedStream } from '../http/compress.ts'
import { deliverFile } from '../http/downloads.ts'
import { filesOfAnswers } from '../http/held-files.ts'
import { heldFor, keyOf, type Limits, lasting } from '../http/limits.ts'
import { answerListing } from '../http/listings.ts'
import { type AskedByUser, forForms, forUsers, leavingOf, type Route } from '../http/routes.ts'
import type { Entry } from '../storage/storage.ts'
import { may, requirePermission } from '../users/actor.ts'
import { archiveOf } from './archive/archive.ts'
import { parseFormat } from './archive/formats.ts'
import { parseSelection, rootNameOf, type Selection } from './archive/selection.ts'
import { browse, toJson } from './browse.ts'
import { type ChangeDeps, copyEntry, createFile, createFolder, moveEntry, removeEntry, saveFile } from './change.ts'
import { checksumOf, parseAlgorithm } from './checksum.ts'
import { flatJson, listFlat, requireFolder } from './flat.ts'
import { parsePath, rebase, type VirtualPath } from './path.ts'
import {
  carriesContent,
  contentJson,
  mayBeLongText,
  openForDownload,
  type ReadFile,
  readFile,
  shortContentJson,
} from './read.ts'
import { versionOf } from './resource.ts'

export interface FileOptions extends ChangeDeps {
  detectByContent: boolean
  limits: Limits
}

export const fileRoutes = (options: FileOptions): Route[] => [
  // An old name for the flat list. A real folder of that name comes first.
  forUsers('GET', '/api/resources/recursive/*', [], async (asked) => {
    const literal = rebase(parsePath('/recursive'), asked.path())
    const entry = await asked.scope.stat(literal).catch(ifMissing)
    if (entry === undefined) return answerFlat(asked, asked.path(), options)
    const isFlat = asked.query('recursive') === 'true'
    return isFlat ? answerFlat(asked, literal, options) : answerEntry(asked, literal, options)
  }),
  forUsers('GET', '/api/resources/*', [], async (asked) => {
    if (asked.query('recursive') === 'true') return answerFlat(asked, asked.path(), options)
    return answerEntry(asked, asked.path(), options)
  }),
  forUsers('POST', '/api/resources/*', ['create'], (asked) => answerCreate(options, asked)),
  forUsers('PUT', '/api/resources/*', ['modify'], (asked) => answerSave(options, asked)),
  forUsers(
    'PATCH',
    '/api/resources/*',
    { byQuery: 'action', permissions: { copy: 'create', rename: 'rename' } },
    (asked) => answerTransfer(options, asked),
  ),
  forUsers('DELETE', '/api/resources/*', ['delete'], async ({ scope, path }) => {
    await removeEntry(options, scope, path())
    return done(204)
  }),
  forUsers('GET', '/api/raw/*', ['download'], (asked) => answerRaw(asked, options)),
  forForms('/api/raw/*', ['download'], (asked) => answerChosen(asked, options)),
  forUsers('GET', '/api/usage/*', [], async ({ scope, path, request }) => {
    const { kind } = await scope.stat(path())
    return json(kind === 'folder' ? await scope.usage(path()) : { total: 0, used: 0 }, request)
  }),
]

/** A folder is tried first: its listing tells its own facts, so the usual answer takes one look at the disk. */
async function answerEntry(asked: AskedByUser, path: VirtualPath, options: FileOptions): Promise<Response> {
  const { scope, request } = asked
  try {
    const { detectByContent } = options
    const signal = leavingOf(request)
    return await answerListing(asked, options.limits, async (large) =>
      toJson(await browse(scope, path, { detectByContent, asked: pathAsked(asked, path), signal, large })),
    )
  } catch (error) {
    // Not a folder, or nothing at all; the second look says which.
    if (!isFailure(error, 'not-found')) throw error
  }
  const entry = await scope.stat(path)
  if (entry.kind === 'folder') throw new Failure('not-found', 'The folder has just gone')
  return answerFile(asked, path, entry, options.limits)
}

async function answerFile(asked: AskedByUser, path: VirtualPath, entry: Entry, limits: Limits): Promise<Response> {
  const { scope, request } = asked
  const algorithm = asked.query('checksum') || undefined
  const wantsBytes = request.headers.get('x-encoding') === 'true'
  if (algorithm !== undefined || wantsBytes) requirePermission(scope.actor, 'download')

  const options = { asked: pathAsked(asked, path), signal: leavingOf(request) }
  const read = () => readFile(scope, path, entry, options)
  if (algorithm !== undefined) return answerChecksum(asked, limits, parseAlgorithm(algorithm), read)
  // Nobody takes the text when only the head was asked for. Those who may not change it get no bytes either.
  const wantsText = request.method !== 'HEAD' && !(wantsBytes && may(scope.actor, 'modify'))
  if (wantsText && mayBeLongText(entry)) return answerLongText(asked, limits, read)

  const { file, resource } = await read()
  if (file === undefined) return json(resource, request)
  const headers = { etag: versionOf(file.entry) }
  if (wantsBytes && resource.type === 'text') {
    filesOfAnswers.hold(file)
    return new Response(file.content, { headers: { ...binaryHeaders, ...headers, connection: 'close' } })
  }
  try {
    if (!wantsText || !carriesContent(scope, resource)) return json(resource, request, headers)
    return compressed(await shortContentJson(resource, file), request, { ...jsonHeaders, ...headers })
  } finally {
    file.close()
  }
}

/** A few at a time, because each keeps a file open and a compressor at work. Those who wait hold nothing. */
async function answerLongText(asked: AskedByUser, limits: Limits, read: () => Promise<ReadFile>): Promise<Response> {
  const { scope, request } = asked
  const turn = await lasting(limits.texts, asked)
  try {
    const { file, resource } = await read()
    const headers = { ...(file && { etag: versionOf(file.entry) }) }
    if (file === undefined || !carriesContent(scope, resource)) {
      file?.close()
      turn.end()
      return json(resource, request, headers)
    }
    turn.whenOver(file.close)
    const pieces = heldFor(contentJson(resource, file, turn.signal), turn)
    return compressedStream(pieces, request, { ...jsonHeaders, ...headers }, turn.signal)
  } catch (error) {
    turn.end()
    throw error
  }
}

async function answerChecksum(
  asked: AskedByUser,
  { checksums }: Limits,
  algorithm: ChecksumAlgorithm,
  read: () => Promise<ReadFile>,
): Promise<Response> {
  const { request } = asked
  using _place = await checksums.enter(keyOf(asked), request)
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

async function answerFlat(asked: AskedByUser, path: VirtualPath, { limits }: FileOptions): Promise<Response> {
  const { scope, request } = asked
  await requireFolder(scope, path)
  if (request.method === 'HEAD')
    return new Response(null, { headers: { ...jsonHeaders, 'transfer-encoding': 'chunked' } })
  const turn = await lasting(limits.searches, asked)
  const pieces = heldFor(flatJson(listFlat(scope, path, turn.signal)), turn)
  return compressedStream(pieces, request, jsonHeaders, turn.signal)
}

async function answerCreate(deps: ChangeDeps, asked: AskedByUser): Promise<Response> {
  const { scope } = asked
  if (asked.endsWithSlash() || asked.path() === '/') {
    await createFolder(deps, scope, asked.path())
    return done()
  }
  const incoming = { bytes: bytesOf(asked), length: lengthOf(asked) }
  const entry = await createFile(deps, scope, asked.path(), incoming, queryOf(asked, CreateQuery))
  return done(200, { etag: versionOf(entry) })
}

async function answerSave(deps: ChangeDeps, asked: AskedByUser): Promise<Response> {
  if (asked.endsWithSlash()) throw new Failure('not-allowed-here', 'A folder cannot be saved')
  const incoming = { bytes: bytesOf(asked), length: lengthOf(asked) }
  const ifMatch = asked.request.headers.get('if-match')
  const entry = await saveFile(deps, asked.scope, asked.path(), incoming, { ifMatch })
  return done(200, { etag: versionOf(entry) })
}

async function answerTransfer(deps: FileOptions, asked: AskedByUser): Promise<Response> {
  const { destination, onConflict } = queryOf(asked, TransferQuery)
  const transfer = { from: asked.path(), to: parseDestination(destination), onConflict, signal: asked.request.signal }
  if (asked.query('action') !== 'copy') await moveEntry(deps, asked.scope, transfer)
  else {
    using _place = await deps.limits.copies.enter(keyOf(asked), asked.request)
    await copyEntry(deps, asked.scope, transfer)
  }
  return done()
}

async function answerRaw(asked: AskedByUser, options: FileOptions): Promise<Response> {
  const { scope, request } = asked
  const path = asked.path()
  const { kind, name } = await scope.stat(path)
  if (kind === 'folder') return answerFolder(asked, path, options)
  const file = await openForDownload(scope, path)
  return deliverFile(request, file, { name, inline: asked.query('inline') === 'true' })
}

async function answerFolder(asked: AskedByUser, folder: VirtualPath, options: FileOptions): Promise<Response> {
  requirePermission(asked.scope.actor, 'download')
  return answerPacked(asked, parseSelection(folder, asked.query('files')), asked.query('algo'), options)
}

/** What does not fit into an address. */
async function answerChosen(asked: AskedByUser, options: FileOptions): Promise<Response> {
  const { selection, algo } = await chosenByForm(asked, asked.scope, asked.path())
  return answerPacked(asked, selection, algo, options)
}

function answerPacked(
  asked: AskedByUser,
  selection: Selection,
  algo: string | undefined,
  { limits }: FileOptions,
): Promise<Response> {
  const { scope } = asked
  const options = { format: parseFormat(algo), rootName: rootNameOf(scope.actor) }
  return answerArchive(asked, limits, (signal) => archiveOf(scope, selection, { ...options, signal }))
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
const pathAsked = (asked: AskedByUser, path: VirtualPath): string =>
  asked.endsWithSlash() && path !== '/' ? `${path}/` : path

function ifMissing(error: unknown): undefined {
  if (!isFailure(error, 'not-found') && !isFailure(error, 'forbidden')) throw error
}
