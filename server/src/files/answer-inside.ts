import { ArchiveQuery, nameOf, Yes } from '@filestead/contract'
import type { z } from 'zod'
import { keyOf, type Limits, lasting } from '../access/limits.ts'
import type { UserContext } from '../access/routes.ts'
import { memberOf } from '../archives/reading/archive.ts'
import type { IndexedEntry } from '../archives/reading/entry-index.ts'
import { fileIn, type LevelEntry, levelOf } from '../archives/reading/level.ts'
import { type OpenedArchive, type OpenedArchives, openArchive } from '../archives/reading/opened.ts'
import { sourceOf } from '../archives/reading/source.ts'
import { requireReadable } from '../archives/reading/zip-member.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import { contentTypeOf, kindByName } from '../entries/kinds.ts'
import { orderByName } from '../entries/sorting.ts'
import { formatTime } from '../entries/times.ts'
import { Failure } from '../failure.ts'
import { jsonHeaders } from '../http/answers.ts'
import { compressedStream } from '../http/compress.ts'
import { dispositionOf, httpDate, policyOf } from '../http/downloads.ts'
import { streamOf } from '../http/stream.ts'
import { holdingSlot } from '../http/stream-slot.ts'
import { headLength, type OpenFile } from '../storage/port.ts'

export const MemberQuery = ArchiveQuery.extend({ inline: Yes('to be shown instead of saved') })

interface Inside {
  readonly archives: OpenedArchives
  readonly limits: Limits
}

/** One folder of an archive, sent piece by piece: it may have a hundred thousand entries. */
export async function answerInside(
  context: UserContext<z.output<typeof ArchiveQuery>>,
  { archives, limits }: Inside,
): Promise<Response> {
  const { inside, encoding } = context.query
  const turn = await lasting(limits.archives, context)
  try {
    const archive = await openArchive(context.scope, context.path)
    const opened = await archives.read(archive, encoding, turn.signal).finally(() => archive.file.close())
    const level = await levelOf(opened.index, inside, turn.signal)
    const facts = level.entries.map(({ name, isFolder }) => ({ name, kind: isFolder ? 'folder' : 'file' }))
    const order = await orderByName(facts, { by: 'name', asc: false }, turn.signal)
    const entries = order.map((at) => level.entries[at] as LevelEntry)
    const pieces = holdingSlot(listingJson(opened, entries, level.isCut), turn)
    return compressedStream(pieces, context, jsonHeaders, turn.signal)
  } catch (error) {
    turn.end()
    throw error
  }
}

const entriesInPiece = 500

async function* listingJson(
  { format, index }: OpenedArchive,
  entries: readonly LevelEntry[],
  isCut: boolean,
): AsyncGenerator<string> {
  const pause = timeSlices()
  const { encoding, skipped, files, bytes } = index
  const head = JSON.stringify({ format, encoding, isCut, skipped, files, bytes })
  yield `${head.slice(0, -1)},"entries":[`
  for (let at = 0; at < entries.length; at += entriesInPiece) {
    const rest = pause()
    if (rest !== undefined) await rest
    const texts = entries.slice(at, at + entriesInPiece).map((entry) => JSON.stringify(shown(entry)))
    yield `${at === 0 ? '' : ','}${texts.join(',')}`
  }
  yield ']}'
}

const shown = ({ name, isFolder, entry }: LevelEntry) => ({
  name,
  size: isFolder ? 0 : (entry?.size ?? 0),
  modified: formatTime(entry?.modified ?? 0, 0),
  isDir: isFolder,
  type: isFolder ? '' : (kindByName(name, entry?.size ?? 0) ?? 'blob'),
  ...(entry?.isEncrypted && { isEncrypted: true }),
})

/** One file of an archive. What it holds comes from strangers, as everything that is downloaded does. */
export async function answerMember(
  context: UserContext<z.output<typeof MemberQuery>>,
  { archives, limits }: Inside,
): Promise<Response> {
  const { inside, encoding, inline } = context.query
  const turn = await lasting(limits.archives, context)
  let member: Member | undefined
  try {
    const archive = await openArchive(context.scope, context.path)
    const { file } = archive
    // Until then it is read for others as well, and is not closed.
    const opened = await archives.read(archive, encoding, turn.signal).catch((error) => {
      file.close()
      throw error
    })
    member = memberIn(file)
    turn.whenOver(() => void member?.return())
    const { format, index } = opened
    const entry = await fileIn(index, inside, turn.signal)
    requireReadable(entry)
    // All that lies before it in a compressed tar is unpacked, and nothing of that is sent.
    if (format !== 'zip' && format !== 'tar' && entry.offset > quicklyUnpacked) {
      const place = await limits.rereads.enter(keyOf(context), context.request)
      turn.whenOver(() => place[Symbol.dispose]())
    }
    const head = await member.begin(memberOf(sourceOf(file), format, entry))
    const headers = headersOf(entry, file, { inline, head })
    if (context.request.method === 'HEAD') {
      turn.end()
      return new Response(null, { headers: { ...headers, 'content-length': String(entry.size) } })
    }
    return new Response(streamOf(context, holdingSlot(member, turn), turn.signal), { headers })
  } catch (error) {
    turn.end()
    await member?.return()
    throw error
  }
}

/** So many bytes are unpacked in a moment. */
const quicklyUnpacked = 64 << 20

function headersOf(entry: IndexedEntry, file: OpenFile, { inline, head }: { inline: boolean; head: Uint8Array }) {
  const name = nameOf(`/${entry.path}`)
  const contentType = inline ? contentTypeOf(name, head) : 'application/octet-stream'
  return {
    'cache-control': 'private, no-cache',
    'content-disposition': dispositionOf(inline ? 'inline' : 'attachment', name),
    'content-security-policy': policyOf(contentType),
    'content-type': contentType,
    'last-modified': httpDate({ seconds: Math.max(entry.modified, 0) || file.entry.seconds }),
    'x-content-type-options': 'nosniff',
    // The runtime sends no content-length with a stream, so another header has it.
    'x-archive-length': String(entry.size),
  }
}

interface Member extends AsyncIterableIterator<Uint8Array> {
  /** Reads on until the type can be told: what cannot be unpacked at all is refused before the answer begins. */
  begin(bytes: AsyncGenerator<Uint8Array>): Promise<Uint8Array>
  return(): Promise<IteratorResult<Uint8Array>>
}

/**
 * The bytes of a file in an open archive, which is closed behind the last one, and never while it is read. Not a generator:
 * one that was never begun does not hear that its reader has left.
 */
function memberIn(file: OpenFile): Member {
  const first: Uint8Array[] = []
  let rest: AsyncGenerator<Uint8Array> | undefined
  let isClosed = false
  const end = async (): Promise<IteratorResult<Uint8Array>> => {
    // Waits for a piece that is being read.
    await rest?.return(undefined).catch(() => {})
    if (!isClosed) file.close()
    isClosed = true
    return { done: true, value: undefined }
  }
  return {
    async begin(bytes) {
      if (isClosed) throw new Failure('incomplete', 'The request is over')
      rest = bytes
      let length = 0
      while (length < headLength) {
        const { done, value } = await bytes.next()
        if (done) break
        // The memory of a piece is good until the next one is asked for.
        first.push(new Uint8Array(value))
        length += value.length
      }
      return Buffer.concat(first).subarray(0, headLength)
    },
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      const held = first.shift()
      if (held !== undefined) return { done: false, value: held }
      try {
        const next = await rest?.next()
        return next === undefined || next.done ? await end() : next
      } catch (error) {
        await end()
        throw error
      }
    },
    return: end,
  }
}
