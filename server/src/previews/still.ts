import { sniffMediaType } from '../entries/sniff.ts'
import { Failure, isFailure } from '../failure.ts'
import { confinedCommand, runtimeEnvironment } from '../programs/confined.ts'
import { run } from '../programs/run.ts'
import type { OpenFile } from '../storage/port.ts'
import { withDescriptor } from './decoder-process.ts'

/** Takes a picture from a film, as JPEG. */
export type Still = (film: OpenFile, signal: AbortSignal) => Promise<Uint8Array<ArrayBuffer>>

const timeLimit = 15_000
/** A frame of the largest films there are, 8K, has 36 million. */
const mostPixels = 40_000_000
/** Decoders keep up to sixteen frames; ffmpeg ends with an error where it would need more. */
const confinement = { environment: {}, memory: 768 * 1024 * 1024, reopensInput: true }

/**
 * The demuxer is named, never guessed: a playlist that has the name of a film would otherwise make ffmpeg open its
 * addresses, from the network or from this disk.
 */
const demuxers: Record<string, string | undefined> = {
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
    const demuxer = demuxers[sniffMediaType(await film.head())]
    if (demuxer === undefined) throw new NoStill()
    return withDescriptor(film, async (input) => {
      for (const second of ['1', '0']) {
        const argv = confinedCommand(argumentsFor(program, pixels, demuxer, second), confinement)
        const started = { argv, environment: runtimeEnvironment, folder: '/', input, timeLimit }
        const picture = await run(started, signal).catch((error) => {
          signal.throwIfAborted()
          throw isFailure(error, 'internal') ? new NoStill() : error
        })
        if (picture.length > 0) return new Uint8Array(picture)
      }
      throw new NoStill()
    })
  }
}

const argumentsFor = (program: string, pixels: number, demuxer: string, second: string): string[] => [
  program,
  ...['-nostdin', '-loglevel', 'quiet', '-threads', '1', '-protocol_whitelist', 'file,pipe'],
  ...['-max_pixels', String(pixels)],
  // The input is the open file, whatever its name leads to by now; ffmpeg cannot seek in a pipe.
  ...['-f', demuxer, '-ss', second, '-i', 'file:/proc/self/fd/0'],
  ...['-an', '-sn', '-dn', '-frames:v', '1', '-vf', 'scale=w=1080:h=1080:force_original_aspect_ratio=decrease'],
  ...['-f', 'mjpeg', 'pipe:1'],
]

/** The film has no picture, or ffmpeg cannot read it, or needs too much time or memory for it. */
export class NoStill extends Failure {
  constructor() {
    super('no-preview', 'No picture could be taken from this film')
  }
}
