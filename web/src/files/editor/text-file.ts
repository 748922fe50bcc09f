import { guessEncoding } from '../formats/encodings.ts'
import { byteTables } from './byte-tables.ts'

/** A text as it lies on the disk: what it says, and how it is written, so that saving changes only what was changed. */
export interface TextFile {
  text: string
  /** A label that TextDecoder knows. */
  encoding: string
  hasByteOrderMark: boolean
  lineBreak: LineBreak
}

/** `\n` also stands for a mixture: then a lone `\r` stays in the text as a character of its own. */
export type LineBreak = '\n' | '\r\n' | '\r'

const mark = '\uFEFF'

/** Reads bytes as text: by their byte order mark, else as UTF-8, else in the encoding given or guessed. */
export function decodeText(bytes: Uint8Array, wanted?: string): TextFile {
  const encoding = wanted ?? guessEncoding(bytes)
  const decoded = new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes)
  const hasByteOrderMark = decoded.startsWith(mark)
  const text = hasByteOrderMark ? decoded.slice(1) : decoded
  return { text, encoding, hasByteOrderMark, lineBreak: lineBreakOf(text) }
}

/** Writes a text the way its file is written. `null` when the encoding has no place for some of its characters. */
export function encodeText(
  text: string,
  { encoding, hasByteOrderMark }: Omit<TextFile, 'text' | 'lineBreak'>,
): Uint8Array<ArrayBuffer> | null {
  const whole = hasByteOrderMark ? mark + text : text
  if (encoding === 'utf-8') return new TextEncoder().encode(whole)
  if (encoding === 'utf-16le' || encoding === 'utf-16be') return encodeUtf16(whole, encoding === 'utf-16le')
  return encodeByTable(whole, encoding)
}

export function lineBreakOf(text: string): LineBreak {
  const both = text.split('\r\n').length - 1
  const feeds = text.split('\n').length - 1
  const returns = text.split('\r').length - 1
  if (both > 0 && both === feeds && both === returns) return '\r\n'
  if (feeds === 0 && returns > 0) return '\r'
  return '\n'
}

function encodeUtf16(text: string, isLittle: boolean): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length * 2)
  const view = new DataView(bytes.buffer)
  for (let index = 0; index < text.length; index += 1) view.setUint16(index * 2, text.charCodeAt(index), isLittle)
  return bytes
}

function encodeByTable(text: string, encoding: string): Uint8Array<ArrayBuffer> | null {
  const table = byteTables(encoding)
  const bytes: number[] = []
  for (const character of text) {
    const code = table.get(character)
    if (code === undefined) return null
    if (code > 0xff) bytes.push(code >> 8)
    bytes.push(code & 0xff)
  }
  return new Uint8Array(bytes)
}
