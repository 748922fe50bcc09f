import { readFlac } from './flac.ts'
import { readId3 } from './id3.ts'
import { readMp4 } from './mp4.ts'

/** What a recording says about itself. */
export interface Tags {
  title?: string
  artist?: string
  album?: string
  cover?: Cover
}

export interface Cover {
  type: string
  data: Uint8Array<ArrayBuffer>
}

/** Reads a piece of the file; shorter at its end. */
export type ReadPiece = (start: number, length: number) => Promise<Uint8Array<ArrayBuffer>>

/** No tag is worth more than this; a cover beyond it is left where it is. */
export const mostBytes = 8 * 1024 * 1024

/** Asks the file itself, piece by piece: a recording may be large and its tags at either end. */
export async function readTags(read: ReadPiece): Promise<Tags> {
  const head = await read(0, 16)
  const mark = latin1(head)
  if (mark.startsWith('ID3')) return readId3(head, read)
  if (mark.startsWith('fLaC')) return readFlac(read)
  if (mark.slice(4, 8) === 'ftyp') return readMp4(read)
  return {}
}

export function pieceReader(src: string, signal: AbortSignal): ReadPiece {
  return async (start, length) => {
    const response = await fetch(src, { headers: { Range: `bytes=${start}-${start + length - 1}` }, signal })
    // Without a 206 the whole file would come.
    if (response.status !== 206) {
      await response.body?.cancel()
      return new Uint8Array()
    }
    return new Uint8Array(await response.arrayBuffer())
  }
}

export const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes.subarray(0, 64))

export const uint32 = (bytes: Uint8Array, at: number): number =>
  at + 4 <= bytes.length ? new DataView(bytes.buffer, bytes.byteOffset).getUint32(at) : 0

/** Only images that browsers show as such, whatever the tag claims. */
export function coverOf(data: Uint8Array<ArrayBuffer>): Cover | undefined {
  const start = latin1(data.subarray(0, 12))
  if (start.startsWith('\xff\xd8\xff')) return { type: 'image/jpeg', data }
  if (start.startsWith('\x89PNG')) return { type: 'image/png', data }
  if (start.startsWith('GIF8')) return { type: 'image/gif', data }
  if (start.startsWith('RIFF') && start.endsWith('WEBP')) return { type: 'image/webp', data }
  return undefined
}
