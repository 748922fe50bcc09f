import { semaphore } from '../concurrency/semaphore.ts'
import { timeSlices } from '../concurrency/time-slices.ts'
import { Failure } from '../failure.ts'
import { lowerExtension } from '../http/media-types.ts'
import type { OpenFile } from '../storage/port.ts'
import { parseAss } from './ass.ts'
import { type Cue, type Pause, toWebVtt } from './cues.ts'
import { parseSrt } from './srt.ts'

/** A film has less than a megabyte of text. */
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
  /** Opens the file when the semaphore is free, so that none is open while it waits. */
  reopen(): Promise<OpenFile>
}

/** Subtitles as WebVTT, the only format of browsers. Fails with `changed-meanwhile` where the file has another version. */
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
  const pause = timeSlices(signal)
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

/** The encoding is that of the byte order mark, UTF-8 where the bytes are valid, and guessed otherwise. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder(isMostlyRuns(bytes) ? 'windows-1251' : 'windows-1252').decode(bytes)
  }
}

/** Letters beyond ASCII stand alone in western words and side by side in Cyrillic ones. */
function isMostlyRuns(bytes: Uint8Array): boolean {
  let [high, neighbours] = [0, 0]
  const end = Math.min(bytes.length, 65_536)
  for (let at = 0; at < end; at += 1) {
    if ((bytes[at] ?? 0) < 0xc0) continue
    high += 1
    if ((bytes[at + 1] ?? 0) >= 0xc0) neighbours += 1
  }
  return neighbours > high / 2
}
