import { pauses } from '../concurrency/pauses.ts'
import { semaphore } from '../concurrency/semaphore.ts'
import { Failure } from '../failure.ts'
import { lowerExtension } from '../http/media-types.ts'
import type { OpenFile } from '../storage/port.ts'
import { parseAss } from './ass.ts'
import { decodeText } from './charset.ts'
import { type Cue, type Pause, toWebVtt } from './cues.ts'
import { parseSrt } from './srt.ts'

/** A film has less than a megabyte of words. */
const largest = 2 * 1024 * 1024

/** A parsed file takes ten times its size in memory. */
const parsing = semaphore(2)

type Parser = (text: string, pause: Pause) => Promise<Cue[]>
const parsers: Readonly<Record<string, Parser>> = { srt: parseSrt, ass: parseAss, ssa: parseAss }

export function requireSubtitle(name: string): void {
  if (!/.(vtt|srt|ass|ssa)$/i.test(name)) throw new Failure('invalid', 'this is not a subtitle file')
}

interface SubtitleSource {
  version: string
  /** Opens the file when its turn has come, so that none is open while it waits. */
  reopen(): Promise<OpenFile>
}

/** Subtitles in the one form that browsers read. Fails with `changed-meanwhile` where the file has another version. */
export const subtitleIn = ({ version, reopen }: SubtitleSource, signal?: AbortSignal) =>
  parsing.run(async () => {
    const file = await reopen()
    try {
      if (file.entry.version !== version) throw new Failure('changed-meanwhile', 'The file was changed meanwhile')
      return await webVttOf(file, signal)
    } finally {
      file.close()
    }
  }, signal)

async function webVttOf({ entry, content }: OpenFile, signal?: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  if (entry.size > largest) throw new Failure('too-large', 'The subtitle file is too large')
  const bytes = new Uint8Array(await content.slice(0, largest).arrayBuffer())
  const parse = parsers[lowerExtension(entry.name) ?? '']
  if (parse === undefined) return isUtf8(bytes) ? bytes : encoded(decodeText(bytes))
  const pause = pauses(signal)
  const cues = await parse(decodeText(bytes), pause)
  if (cues.length === 0) throw new Failure('invalid', `no subtitles were found in ${JSON.stringify(entry.name)}`)
  return encoded(await toWebVtt(cues, pause))
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
