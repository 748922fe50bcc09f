import { hasRight, type Resource, type ResourceType, type RightSet } from '@filestead/contract'
import { may, requirePermission } from '../access/actor.ts'
import type { FoundInScope, Scope } from '../access/scope.ts'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { kindByContent, kindByName, maxTextSize } from '../entries/kinds.ts'
import { toResource } from '../entries/resource.ts'
import { Failure } from '../failure.ts'
import type { VirtualPath } from '../storage/path.ts'
import type { Entry, FileHead, OpenFile } from '../storage/port.ts'
import { subtitlesOf } from '../subtitles/find.ts'
import { rightsField } from './rights-field.ts'

export interface ReadFile {
  readonly file: OpenFile | undefined
  readonly resource: Resource
  /** What grants allow. Without the right to download, the content is for telling its type. */
  readonly can: RightSet
}

interface ReadOptions {
  /** The path as it was asked for, which the answer repeats. */
  asked: string
  signal: Cancellation
  /** Is text described as editable? By default whether the actor may change it. */
  isChangeable?: boolean
  /** Does the answer say what grants allow? */
  tellsRights?: boolean
}

/** One file and what it is. The caller closes `file`; what cannot be opened (a pipe, a device) has none. */
export async function readFile(
  scope: Scope,
  path: VirtualPath,
  found: FoundInScope,
  { asked, signal, isChangeable, tellsRights = false }: ReadOptions,
): Promise<ReadFile> {
  const { entry } = found
  if (entry.kind === 'link') throw new Failure('not-found', 'The link leads nowhere')
  // Looked at again: rights are those of the file that is read.
  const { file, can } =
    found.file === undefined && entry.kind === 'file' ? await scope.find(path, { lists: false }) : found
  const mayChange = isChangeable ?? (may(scope.actor, 'modify') && hasRight(can, 'change'))
  try {
    const type = file === undefined ? typeOfSpecial(entry) : await typeOfFile(file, mayChange)
    const resource = { ...toResource(entry, asked, type), ...(tellsRights && rightsField(can)) }
    const subtitles = type === 'video' ? await subtitlesOf(scope, path, entry.name, signal) : []
    if (subtitles.length > 0) resource.subtitles = subtitles
    return { file, resource, can }
  } catch (error) {
    file?.close()
    throw error
  }
}

/** The answer holds the text itself where the actor may download it. */
export const carriesContent = (scope: Scope, { resource: { type, size }, can }: ReadFile): boolean =>
  size > 0 && (type === 'text' || type === 'textImmutable') && may(scope.actor, 'download') && hasRight(can, 'download')

/** A text up to this size is answered in one piece; for longer ones there is a limit of how many are sent at once. */
export const shortText = 131_072

const pieceLength = 65_536

/** Could the answer hold a text that is sent in pieces? Asked before the file is opened, so by its name alone. */
export const mayBeLongText = ({ kind, name, size }: Entry): boolean =>
  kind === 'file' && size > shortText && size <= maxTextSize && (kindByName(name, size) ?? 'text') === 'text'

/** The answer with the file's text in it. */
export async function shortContentJson(resource: Resource, file: OpenFile): Promise<string> {
  // Where there are bytes, `content` would be a copy of them.
  const text = textDecoder().decode(file.bytes ?? (await file.content.slice(0, file.entry.size).arrayBuffer()))
  return `${beginningOf(resource)}${escaped(text)}"}`
}

/** The same, streamed while the file is read: ten megabytes are never held at once. */
export async function* contentJson(resource: Resource, file: OpenFile, signal: AbortSignal): AsyncGenerator<string> {
  try {
    yield beginningOf(resource)
    const decoder = textDecoder()
    const { size } = file.entry
    for (let start = 0; start < size; start += pieceLength) {
      signal.throwIfAborted()
      const piece = await file.content.slice(start, Math.min(start + pieceLength, size)).arrayBuffer()
      yield escaped(decoder.decode(piece, { stream: true }))
    }
    yield `${escaped(decoder.decode())}"}`
  } finally {
    file.close()
  }
}

const textDecoder = () => new TextDecoder('utf-8', { ignoreBOM: true })

const beginningOf = (resource: Resource): string => `${JSON.stringify(resource).slice(0, -1)},"content":"`

/** The bytes as they are, for clients that do the decoding: what is not UTF-8 survives an edit. */
export async function openForDownload(scope: Scope, path: VirtualPath): Promise<OpenFile> {
  requirePermission(scope.actor, 'download')
  return scope.open(path)
}

/** What tells a picture of the file from others, without opening it. */
export async function headForDownload(scope: Scope, path: VirtualPath): Promise<FileHead> {
  requirePermission(scope.actor, 'download')
  return scope.readHead(path)
}

const typeOfSpecial = ({ kind }: Entry): ResourceType => (kind === 'link' ? 'invalid_link' : 'blob')

async function typeOfFile({ entry, head }: OpenFile, isChangeable: boolean): Promise<ResourceType> {
  const kind = kindByName(entry.name, entry.size) ?? kindByContent(await head(), entry.size)
  return kind === 'text' && !isChangeable ? 'textImmutable' : kind
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)
