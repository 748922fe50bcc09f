import { Failure, isFailure } from '../failure.ts'
import { sniffMediaType } from '../files/sniff.ts'
import { confinedCommand, runtimeEnvironment } from '../programs/confined.ts'
import { run } from '../programs/run.ts'
import type { OpenFile } from '../storage/port.ts'
import { descriptorOf } from './descriptor.ts'

/** A picture out of a film, as JPEG. */
export type Still = (film: OpenFile, signal: AbortSignal) => Promise<Uint8Array<ArrayBuffer>>

const timeLimit = 15_000
/** A frame of the largest films there are, 8K, has 36 million. */
const mostPixels = 40_000_000
/** Decoders keep up to sixteen frames; ffmpeg ends with an error where it would need more. */
const confinement = { environment: {}, memory: 768 * 1024 * 1024, reopensInput: true }

/**
 * The reader is named, never guessed: a list of addresses that calls itself a film would otherwise make ffmpeg fetch
 * them, from the network or from this disk.
 */
const readers: Record<string, string | undefined> = {
  'video/mp4': 'mov',
  'video/quicktime': 'mov',
  'video/3gpp': 'mov',
  'video/3gpp2': 'mov',
  'video/webm': 'matroska',
  'video/matroska': 'matroska',
  'video/x-msvideo': 'avi',
}

/** Stills by ffmpeg, where the machine has it. */
export function stillsWith(program: string | null, maxImagePixels: number): Still | undefined {
  if (program === null) return undefined
  const pixels = Math.min(mostPixels, maxImagePixels)
  return async (film, signal) => {
    const reader = readers[sniffMediaType(await film.head())]
    const descriptor = descriptorOf(film)
    if (reader === undefined || descriptor === undefined) throw new NoStill()
    for (const second of ['1', '0']) {
      const argv = confinedCommand(argumentsFor(program, pixels, reader, second), confinement)
      const started = { argv, environment: runtimeEnvironment, folder: '/', input: descriptor, timeLimit }
      const picture = await run(started, signal).catch((error) => {
        signal.throwIfAborted()
        throw isFailure(error, 'internal') ? new NoStill() : error
      })
      if (picture.length > 0) return new Uint8Array(picture)
    }
    throw new NoStill()
  }
}

const argumentsFor = (program: string, pixels: number, reader: string, second: string): string[] => [
  program,
  ...['-nostdin', '-loglevel', 'quiet', '-threads', '1', '-protocol_whitelist', 'file,pipe'],
  ...['-max_pixels', String(pixels)],
  // Its input is the film that was opened, whatever the name leads to by now; a pipe could not be searched.
  ...['-f', reader, '-ss', second, '-i', 'file:/proc/self/fd/0'],
  ...['-an', '-sn', '-dn', '-frames:v', '1', '-vf', 'scale=w=1080:h=1080:force_original_aspect_ratio=decrease'],
  ...['-f', 'mjpeg', 'pipe:1'],
]

/** The film has none, or ffmpeg cannot read it, or needs too long or too much for it. */
export class NoStill extends Failure {
  constructor() {
    super('no-preview', 'No picture could be taken from this film')
  }
}
