import { CreateQuery, TransferQuery } from '@filestead/contract'
import { Failure, isFailure } from '../failure.ts'
import { binaryHeaders, done, json, jsonHeaders } from '../http/answers.ts'
import { bytesOf, lengthOf, queryOf } from '../http/body.ts'
import { compressed, compressedStream } from '../http/compress.ts'
import { deliver, dispositionOf } from '../http/downloads.ts'
import { type AskedByUser, forUsers, type Route } from '../http/routes.ts'
import type { Entry } from '../storage/storage.ts'
import { requirePermission } from '../users/actor.ts'
import { browse, toJson } from './browse.ts'
import { copyEntry, createFile, createFolder, moveEntry, removeEntry, saveFile } from './change.ts'
import { checksumOf, parseAlgorithm } from './checksum.ts'
import { flatJson, listFlat, requireFolder } from './flat.ts'
import { contentTypeOf } from './kinds.ts'
import { parsePath, rebase, type VirtualPath } from './path.ts'
import { carriesContent, contentJson, openForDownload, readFile } from './read.ts'
import { versionOf } from './resource.ts'

export interface FileOptions {
  detectByContent: boolean
}

export const fileRoutes = (options: FileOptions): Route[] => [
  // An old name for the flat list. A real folder of that name comes first.
  forUsers('GET', '/api/resources/recursive/*', [], async (asked) => {
    const literal = rebase(parsePath('/recursive'), asked.path())
    const entry = await asked.scope.stat(literal).catch(ifMissing)
    return entry === undefined ? answerFlat(asked) : answerEntry(asked, literal, options)
  }),
  forUsers('GET', '/api/resources/*', [], async (asked) => {
    if (asked.query('recursive') === 'true') return answerFlat(asked)
    return answerEntry(asked, asked.path(), options)
  }),
  forUsers('POST', '/api/resources/*', ['create'], answerCreate),
  forUsers('PUT', '/api/resources/*', ['modify'], answerSave),
  forUsers(
    'PATCH',
    '/api/resources/*',
    { byQuery: 'action', permissions: { copy: 'create', rename: 'rename' } },
    answerTransfer,
  ),
  forUsers('DELETE', '/api/resources/*', ['delete'], async ({ scope, path }) => {
    await removeEntry(scope, path())
    return done(204)
  }),
  forUsers('GET', '/api/raw/*', ['download'], answerRaw),
  forUsers('GET', '/api/usage/*', [], async ({ scope, path, request }) => {
    const { kind } = await scope.stat(path())
    return json(kind === 'folder' ? await scope.usage(path()) : { total: 0, used: 0 }, request)
  }),
]

/** A folder is tried first: its listing tells its own facts, so the usual answer takes one look at the disk. */
async function answerEntry(asked: AskedByUser, path: VirtualPath, options: FileOptions): Promise<Response> {
  const { scope, request } = asked
  try {
    const browsed = await browse(scope, path, { ...options, asked: pathAsked(asked, path), signal: request.signal })
    return answerText(toJson(browsed), request)
  } catch (error) {
    // Not a folder, or nothing at all; the second look says which.
    if (!isFailure(error, 'not-found')) throw error
  }
  const entry = await scope.stat(path)
  if (entry.kind === 'folder') throw new Failure('not-found', 'The folder has just gone')
  return answerFile(asked, path, entry)
}

/** What fits into one piece is sent with its length, anything longer as it is made. */
function answerText(pieces: Generator<string>, request: Request): Response {
  const first = pieces.next().value ?? ''
  const second = pieces.next()
  if (second.done) return compressed(first, request, jsonHeaders)
  return compressedStream(chain([first, second.value], pieces), request, jsonHeaders)
}

async function answerFile(asked: AskedByUser, path: VirtualPath, entry: Entry): Promise<Response> {
  const { scope, request } = asked
  const algorithm = asked.query('checksum')
  const wantsBytes = request.headers.get('x-encoding') === 'true'
  if (algorithm !== undefined || wantsBytes) requirePermission(scope.actor, 'download')

  const { file, resource } = await readFile(scope, path, entry, pathAsked(asked, path))
  if (file === undefined) return json(resource, request)
  const headers = { etag: versionOf(file.entry) }
  if (algorithm === undefined && wantsBytes && resource.type === 'text') {
    setTimeout(() => file.close(), 0)
    return new Response(file.content, { headers: { ...binaryHeaders, ...headers, connection: 'close' } })
  }
  if (algorithm === undefined && carriesContent(scope, resource))
    return compressedStream(contentJson(resource, file), request, { ...jsonHeaders, ...headers })
  try {
    if (algorithm === undefined) return json(resource, request, headers)
    const name = parseAlgorithm(algorithm)
    const checksums = { [name]: await checksumOf(file, name, request.signal) }
    return json({ ...resource, checksums }, request, headers)
  } finally {
    file.close()
  }
}

async function answerFlat({ scope, path, request }: AskedByUser): Promise<Response> {
  await requireFolder(scope, path())
  return compressedStream(flatJson(listFlat(scope, path())), request, jsonHeaders)
}

async function answerCreate(asked: AskedByUser): Promise<Response> {
  const { scope } = asked
  if (asked.endsWithSlash() || asked.path() === '/') {
    await createFolder(scope, asked.path())
    return done()
  }
  const incoming = { bytes: bytesOf(asked), length: lengthOf(asked) }
  const entry = await createFile(scope, asked.path(), incoming, queryOf(asked, CreateQuery))
  return done(200, { etag: versionOf(entry) })
}

async function answerSave(asked: AskedByUser): Promise<Response> {
  if (asked.endsWithSlash()) throw new Failure('not-allowed-here', 'A folder cannot be saved')
  const incoming = { bytes: bytesOf(asked), length: lengthOf(asked) }
  const ifMatch = asked.request.headers.get('if-match')
  const entry = await saveFile(asked.scope, asked.path(), incoming, { ifMatch })
  return done(200, { etag: versionOf(entry) })
}

async function answerTransfer(asked: AskedByUser): Promise<Response> {
  const { destination, onConflict } = queryOf(asked, TransferQuery)
  const transfer = { from: asked.path(), to: parseDestination(destination), onConflict, signal: asked.request.signal }
  if (asked.query('action') === 'copy') await copyEntry(asked.scope, transfer)
  else await moveEntry(asked.scope, transfer)
  return done()
}

async function answerRaw(asked: AskedByUser): Promise<Response> {
  const { scope, request } = asked
  const path = asked.path()
  const { kind, name } = await scope.stat(path)
  if (kind === 'folder') throw new Failure('invalid', 'this is a folder')
  const file = await openForDownload(scope, path)
  const inline = asked.query('inline') === 'true'
  return deliver(request, {
    file,
    version: versionOf(file.entry),
    contentType: inline ? contentTypeOf(name, file.head()) : 'application/octet-stream',
    disposition: dispositionOf(inline ? 'inline' : 'attachment', name),
  })
}

/** Clients encode a destination twice: it is decoded once as part of the query and once more here. */
function parseDestination(destination: string): VirtualPath {
  try {
    return parsePath(decodeURIComponent(destination.replaceAll('+', ' ')))
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure('invalid', 'the destination is not valid percent-encoded UTF-8')
  }
}

/** The answer repeats the path as it was asked for, with the slash at its end. */
const pathAsked = (asked: AskedByUser, path: VirtualPath): string =>
  asked.endsWithSlash() && path !== '/' ? `${path}/` : path

function ifMissing(error: unknown): undefined {
  if (!isFailure(error, 'not-found') && !isFailure(error, 'forbidden')) throw error
}

function* chain(first: Iterable<string>, rest: Iterable<string>): Generator<string> {
  yield* first
  yield* rest
}
