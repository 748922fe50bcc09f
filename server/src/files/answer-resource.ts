import { type ChecksumAlgorithm, checksumAlgorithms, hasRight, Yes } from '@filestead/contract'
import { z } from 'zod'
import { may, requirePermission } from '../access/actor.ts'
import { keyOf, type Limits, lasting } from '../access/limits.ts'
import { notAllowed } from '../access/lookup.ts'
import type { UserContext } from '../access/routes.ts'
import type { FoundInScope } from '../access/scope.ts'
import { binaryHeaders, json, jsonHeaders } from '../http/answers.ts'
import { compressed, compressedStream } from '../http/compress.ts'
import { filesOfAnswers } from '../http/held-files.ts'
import { holdingSlot } from '../http/stream-slot.ts'
import { wholeBody } from '../http/whole-body.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { OpenFile } from '../storage/port.ts'
import { answerListing } from './answer-listing.ts'
import { browse, isBrowsed, toJson } from './browse.ts'
import { checksumOf, parseAlgorithm } from './checksum.ts'
import { carriesContent, contentJson, mayBeLongText, type ReadFile, readFile, shortContentJson } from './read.ts'

export const ResourceQuery = z.object({
  checksum: z
    .string()
    .optional()
    .describe(`${checksumAlgorithms.join(', ')} of a file`),
  recursive: Yes('everything below a folder as one flat list'),
})
type ResourceQuery = z.output<typeof ResourceQuery>

interface ResourceOptions {
  detectByContent: boolean
  limits: Limits
}

/** A folder with its entries, or a file with its facts and, for text, its content. */
export function answerResource(
  context: UserContext<ResourceQuery>,
  path: VirtualPath,
  { limits, detectByContent }: ResourceOptions,
): Promise<Response> {
  const { scope, cancellation: signal } = context
  return answerListing(context, limits, async (enterLarge) => {
    const asked = pathAsked(context, path)
    const found = await browse(scope, path, { detectByContent, asked, signal, enterLarge, tellsRights: true })
    return isBrowsed(found) ? toJson(found) : answerFile(context, path, found, limits)
  })
}

async function answerFile(
  context: UserContext<ResourceQuery>,
  path: VirtualPath,
  found: FoundInScope,
  limits: Limits,
): Promise<Response> {
  const { scope, request } = context
  const { entry } = found
  const algorithm = context.query.checksum || undefined
  const wantsBytes = request.headers.get('x-encoding') === 'true'
  if (algorithm !== undefined || wantsBytes) {
    if (!may(scope.actor, 'download') || !hasRight(found.can, 'download')) found.file?.close()
    requirePermission(scope.actor, 'download')
    requireDownload(found)
  }

  const options = { asked: pathAsked(context, path), signal: context.cancellation, tellsRights: true }
  // HEAD takes no text. Without the right to change it, a request for bytes gets the text.
  const wantsText =
    request.method !== 'HEAD' && !(wantsBytes && may(scope.actor, 'modify') && hasRight(found.can, 'change'))
  const waits = algorithm !== undefined || (wantsText && mayBeLongText(entry))
  if (waits) {
    // A request that waits for its turn holds no descriptor.
    found.file?.close()
    const read = () => readFile(scope, path, { entry, can: found.can }, options)
    return algorithm === undefined
      ? answerLongText(context, limits, read)
      : answerChecksum(context, limits, parseAlgorithm(algorithm), read)
  }

  const read = await readFile(scope, path, found, options)
  const { file, resource } = read
  if (file === undefined) return json(resource, context)
  const headers = { etag: file.entry.version }
  if (wantsBytes && resource.type === 'text' && hasRight(read.can, 'download')) {
    context.note(sendsText)
    if (file.bytes !== undefined)
      return new Response(wholeBody(file.bytes, request), { headers: { ...binaryHeaders, ...headers } })
    if (!(file.content instanceof Blob))
      return new Response(await readAll(file), { headers: { ...binaryHeaders, ...headers } })
    filesOfAnswers.hold(file)
    return new Response(file.content, { headers: { ...binaryHeaders, ...headers, connection: 'close' } })
  }
  try {
    if (!carriesContent(scope, read)) return json(resource, context, headers)
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

/** The bytes of a text, which is not long. */
async function readAll(file: OpenFile): Promise<ArrayBuffer> {
  try {
    return await file.content.arrayBuffer()
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
    const found = await read()
    const { file, resource } = found
    const headers = { ...(file && { etag: file.entry.version }) }
    if (file === undefined || !carriesContent(scope, found)) {
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
  const { file, resource, can } = await read()
  if (file === undefined) return json(resource, context)
  try {
    requireDownload({ can })
    const sum = await checksumOf(file, algorithm, request.signal)
    return json({ ...resource, checksums: { [algorithm]: sum } }, context, { etag: file.entry.version })
  } finally {
    file.close()
  }
}

function requireDownload({ can }: Pick<FoundInScope, 'can'>): void {
  if (!hasRight(can, 'download')) throw notAllowed()
}

/** The answer repeats the path as it was asked for, with the slash at its end. */
const pathAsked = (context: UserContext, path: VirtualPath): string =>
  context.endsWithSlash && path !== '/' ? `${path}/` : path
