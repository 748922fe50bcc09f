import { lowerExtension, mediaTypeByExtension, mediaTypeOf } from '../http/media-types.ts'
import { sniffMediaType } from './sniff.ts'

export type FileKind = 'video' | 'audio' | 'image' | 'pdf' | 'text' | 'blob'

/** Larger text is a blob: editors cannot open it. */
export const maxTextSize = 10 * 1024 * 1024

/** By the name alone; undefined where the content has to be read. */
export function kindByName(name: string, size: number): FileKind | undefined {
  const extension = lowerExtension(name)
  if (extension === undefined) return undefined

  const kind = kindsByExtension().get(extension)
  return kind === 'text' && size > maxTextSize ? 'blob' : kind
}

/** For a file whose name does not tell; `head` is its first 512 bytes, or fewer when it has no more. */
export function kindByContent(head: Uint8Array, size: number): FileKind {
  const kind = kindOf(sniffMediaType(head)) ?? (isUtf8Text(head) ? 'text' : 'blob')
  return kind === 'text' && size > maxTextSize ? 'blob' : kind
}

/** The Content-Type under which a browser shows the file in place. */
export function contentTypeOf(name: string, head?: Uint8Array): string {
  const byName = mediaTypeOf(name) ?? anything
  const mediaType = byName === anything && head ? sniffMediaType(head) : byName
  return mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType
}

function kindOf(mediaType: string): FileKind | undefined {
  const family = mediaType.slice(0, mediaType.indexOf('/'))
  if (family === 'video' || family === 'audio' || family === 'image' || family === 'text') return family
  if (mediaType === 'application/pdf') return 'pdf'
  if (isWrittenAsText(mediaType)) return 'text'
  return textOrBinary.has(mediaType) ? undefined : 'blob'
}

function isWrittenAsText(mediaType: string): boolean {
  return mediaType.endsWith('+xml') || mediaType.endsWith('+json') || textOutsideText.has(mediaType)
}

const textOutsideText = new Set([
  'application/json',
  'application/mbox',
  'application/sql',
  'application/toml',
  'application/vnd.apple.mpegurl',
  'application/xml',
  'application/xml-dtd',
  'application/yaml',
  'message/rfc822',
])

const anything = 'application/octet-stream'

const textOrBinary = new Set([anything, 'application/postscript', 'application/x-plist', 'model/stl'])

// Computed once, because a listing asks for each of its names; and not before, because most threads list nothing.
let table: ReadonlyMap<string, FileKind | undefined> | undefined

function kindsByExtension(): ReadonlyMap<string, FileKind | undefined> {
  table ??= new Map([...mediaTypeByExtension].map(([extension, mediaType]) => [extension, kindOf(mediaType)]))
  return table
}

function isUtf8Text(head: Uint8Array): boolean {
  if (head.some((byte) => byte <= 0x08)) return false
  try {
    // As a stream, the decoder waits for the rest of a character that the end of the head cut off.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return true
  } catch {
    return false
  }
}
