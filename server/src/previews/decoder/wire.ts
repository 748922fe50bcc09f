import type { Recipe } from '../recipes.ts'

/** What a decoder is asked, beside the descriptor of the file. */
export interface Task extends Recipe {
  maxPixels: number
  /** May it take much memory? Only one of them at a time may. */
  mayBeLarge: boolean
}

/**
 * What a decoder answers. `ready` comes once, before any task; `unavailable` instead of it where the image library does
 * not load. `large` asks for the same task with `mayBeLarge`.
 */
export type Outcome = (typeof outcomes)[number]
export const outcomes = ['ready', 'unavailable', 'picture', 'large', 'invalid', 'too-large'] as const

export interface Frame {
  outcome: Outcome
  /** A picture, or a sentence that says what is wrong. */
  body: Uint8Array<ArrayBuffer>
}

export const headerSize = 5
/** An incompressible TIFF of the large size has at most four channels of two bytes. */
const longestBody = 32 << 20

export function encodeFrame(outcome: Outcome, body: Uint8Array): Buffer {
  const frame = Buffer.alloc(headerSize + body.length)
  frame.writeUInt8(outcomes.indexOf(outcome), 0)
  frame.writeUInt32LE(body.length, 1)
  frame.set(body, headerSize)
  return frame
}

/** The outcome and the length of the body; undefined where the bytes are no frame of the decoder. */
export function decodeHeader(header: Buffer): { outcome: Outcome; length: number } | undefined {
  const [outcome, length] = [outcomes[header.readUInt8(0)], header.readUInt32LE(1)]
  return outcome === undefined || length > longestBody ? undefined : { outcome, length }
}
