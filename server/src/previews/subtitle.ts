import { Failure } from '../failure.ts'
import { lowerExtension } from '../files/media-types.ts'
import type { OpenFile } from '../storage/storage.ts'
import { parseAss } from './ass.ts'
import { decodeText } from './charset.ts'
import { type Cue, toWebVtt } from './cues.ts'
import { parseSrt } from './srt.ts'

/** A film has less than a megabyte of words. */
const largest = 10 * 1024 * 1024

const parsers: Readonly<Record<string, (text: string) => Cue[]>> = { srt: parseSrt, ass: parseAss, ssa: parseAss }

export function requireSubtitle(name: string): void {
  if (!/.(vtt|srt|ass|ssa)$/i.test(name)) throw new Failure('invalid', 'this is not a subtitle file')
}

/** Subtitles in the one form that browsers read. */
export async function subtitleIn({ entry, content }: OpenFile): Promise<Uint8Array<ArrayBuffer>> {
  if (entry.size > largest) throw new Failure('too-large', 'The subtitle file is too large')
  const bytes = new Uint8Array(await content.slice(0, largest).arrayBuffer())
  const parse = parsers[lowerExtension(entry.name) ?? '']
  if (parse === undefined) return isUtf8(bytes) ? bytes : encoded(decodeText(bytes))
  const cues = parse(decodeText(bytes))
  if (cues.length === 0) throw new Failure('invalid', `no subtitles were found in ${JSON.stringify(entry.name)}`)
  return encoded(toWebVtt(cues))
}

const encoded = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}
