import { CreateQuery, TransferQuery } from '@filestead/contract'
import { Failure, isFailure } from '../failure.ts'
import { binaryHeaders, done, json, jsonHeaders } from '../http/answers.ts'
import { answerArchive, chosenByForm } from '../http/archives.ts'
import { bytesOf, lengthOf, queryOf } from '../http/body.ts'
import { compressedPieces, compressedStream } from '../http/compress.ts'
import { deliverFile } from '../http/downloads.ts'
import { type AskedByUser, forForms, forUsers, leavingOf, type Route } from '../http/routes.ts'
import type { Entry } from '../storage/storage.ts'
import { requirePermission } from '../users/actor.ts'
import { archiveOf } from './archive/archive.ts'
import { parseFormat } from './archive/formats.ts'
import { parseSelection, rootNameOf, type Selection } from './archive/selection.ts'
import { browse, toJson } from './browse.ts'
import { type ChangeDeps, copyEntry, createFile, createFolder, moveEntry, removeEntry, saveFile } from './change.ts'
import { checksumOf, parseAlgorithm } from './checksum.ts'
import { flatJson, listFlat, requireFolder } from './flat.ts'
import { parsePath, rebase, type VirtualPath } from './path.ts'
import { carriesContent, contentJson, openForDownload, readFile } from './read.ts'
import { versionOf } from './resource.ts'

export interface FileOptions extends ChangeDeps {
  detectByContent: boolean
}

export const fileRoutes = (options: FileOptions): Route[] => [
  // An old name for the flat list. A real folder of that name comes first.
  forUsers('GET', '/api/resources/recursive/*', [], async (asked) => {
    const literal = rebase(parsePath('/recursive'), asked.path())
    const entry = await asked.scope.stat(literal).catch(ifMissing)
    if (entry === undefined) return answerFlat(asked, asked.path())
    return asked.query('recursive') === 'true' ? answerFlat(asked, literal) : answerEntry(asked, literal, options)
  }),
  forUsers('GET', '/api/resources/*', [], async (asked) => {
    if (asked.query('recursive') === 'true') return answerFlat(asked, asked.path())
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
  forUsers('GET', '/api/raw/*', ['download'], answerRaw),
  forForms('/api/raw/*', ['download'], answerChosen),
  forUsers('GET', '/api/usage/*', [], async ({ scope, path, request }) => {
    const { kind } = await scope.stat(path())
    return json(kind === 'folder' ? await scope.usage(path()) : { total: 0, used: 0 }, request)
  }),
]

/** A folder is tried first: its listing tells its own facts, so the usual answer takes one look at the disk. */
async function answerEntry(asked: AskedByUser, path: VirtualPath, options: FileOptions): Promise<Response> {
  const { scope, request } = asked
  try {
    const browsed = await browse(scope, path, { ...options, asked: pathAsked(asked, path), signal: leavingOf(request) })
    return compressedPieces(toJson(browsed), request, jsonHeaders)
  } catch (error) {
    // Not a folder, or nothing at all; the second look says which.
    if (!isFailure(error, 'not-found')) throw error
  }
  const entry = await scope.stat(path)
  if (entry.kind === 'folder') throw new Failure('not-found', 'The folder has just gone')
  return answerFile(asked, path, entry)
}

async function answerFile(asked: AskedByUser, path: VirtualPath, entry: Entry): Promise<Response> {
  const { scope, request } = asked
  const algorithm = asked.query('checksum') || undefined
  const wantsBytes = request.headers.get('x-encoding') === 'true'
  if (algorithm !== undefined || wantsBytes) requirePermission(scope.actor, 'download')

  const options = { asked: pathAsked(asked, path), signal: leavingOf(request) }
  const { file, resource } = await readFile(scope, path, entry, options)
  if (file === undefined) return json(resource, request)
  const headers = { etag: versionOf(file.entry) }
  if (algorithm === undefined && wantsBytes && resource.type === 'text') {
    setTimeout(() => file.close(), 0)
    return new Response(file.content, { headers: { ...binaryHeaders, ...headers, connection: 'close' } })
  }
  // Nobody takes the text when only the head was asked for, so nobody would come to the end of it and close the file.
  if (algorithm === undefined && request.method !== 'HEAD' && carriesContent(scope, resource))
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

async function answerFlat({ scope, request }: AskedByUser, path: VirtualPath): Promise<Response> {
  await requireFolder(scope, path)
  return compressedStream(flatJson(listFlat(scope, path, request.signal)), request, jsonHeaders)
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

async function answerTransfer(deps: ChangeDeps, asked: AskedByUser): Promise<Response> {
  const { destination, onConflict } = queryOf(asked, TransferQuery)
  const transfer = { from: asked.path(), to: parseDestination(destination), onConflict, signal: asked.request.signal }
  if (asked.query('action') === 'copy') await copyEntry(deps, asked.scope, transfer)
  else await moveEntry(deps, asked.scope, transfer)
  return done()
}

async function answerRaw(asked: AskedByUser): Promise<Response> {
  const { scope, request } = asked
  const path = asked.path()
  const { kind, name } = await scope.stat(path)
  if (kind === 'folder') return answerFolder(asked, path)
  const file = await openForDownload(scope, path)
  return deliverFile(request, file, { name, inline: asked.query('inline') === 'true' })
}

async function answerFolder(asked: AskedByUser, folder: VirtualPath): Promise<Response> {
  requirePermission(asked.scope.actor, 'download')
  return answerPacked(asked, parseSelection(folder, asked.query('files')), asked.query('algo'))
}

/** What does not fit into an address. */
async function answerChosen(asked: AskedByUser): Promise<Response> {
  const { selection, algo } = await chosenByForm(asked, asked.scope, asked.path())
  return answerPacked(asked, selection, algo)
}

async function answerPacked(asked: AskedByUser, selection: Selection, algo: string | undefined): Promise<Response> {
  const { scope, request } = asked
  const options = { format: parseFormat(algo), rootName: rootNameOf(scope.actor), signal: request.signal }
  return answerArchive(asked, await archiveOf(scope, selection, options))
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
