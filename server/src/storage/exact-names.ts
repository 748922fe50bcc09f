import { isUtf8 } from 'node:buffer'

/** What stands for bytes that are no text wherever a name is shown. */
export const replacementMark = '\ufffd'

/**
 * A name on the disk that is not UTF-8, as text that can be told back: each byte that belongs to no character becomes
 * half of a surrogate pair, U+DC80 to U+DCFF, which no request can hold and no valid name contains.
 */
export function textOf(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; ) {
    const length = characterAt(bytes, at)
    if (length === 0) text += String.fromCharCode(0xdc00 + (bytes[at] ?? 0))
    else text += Buffer.from(bytes.subarray(at, at + length)).toString()
    at += length || 1
  }
  return text
}

export function bytesOf(text: string): Uint8Array {
  if (text.isWellFormed()) return Buffer.from(text)
  return Buffer.concat(
    Array.from(text, (character) => {
      const byte = strayByte(character)
      return byte === undefined ? Buffer.from(character) : Buffer.from([byte])
    }),
  )
}

/** No name holds it but on purpose; there it is doubled. */
const escapeMark = '\uffff'

/** Such text as a database keeps it: UTF-8 has no half of a surrogate pair, so an escape and two digits take its place. */
export const toStored = (text: string): string =>
  text.isWellFormed() && !text.includes(escapeMark)
    ? text
    : Array.from(text.replaceAll(escapeMark, escapeMark + escapeMark), (character) => {
        const byte = strayByte(character)
        return byte === undefined ? character : `${escapeMark}${byte.toString(16)}`
      }).join('')

export const fromStored = (stored: string): string =>
  stored.includes(escapeMark)
    ? stored.replace(/\uffff(\uffff|[89a-f][\da-f])/g, (_, what: string) =>
        what === escapeMark ? escapeMark : String.fromCharCode(0xdc00 + Number.parseInt(what, 16)),
      )
    : stored

/** For where it must be text and still be told from others: `%E9` for the byte 0xE9. */
export const readable = (text: string): string =>
  text.isWellFormed()
    ? text
    : Array.from(text, (character) => {
        const byte = strayByte(character)
        return byte === undefined ? character : `%${byte.toString(16).toUpperCase()}`
      }).join('')

/** As listings show it, with marks. */
export const marked = (text: string): string => (text.isWellFormed() ? text : Buffer.from(bytesOf(text)).toString())

function strayByte(character: string): number | undefined {
  const code = character.codePointAt(0) ?? 0
  return code >= 0xdc80 && code <= 0xdcff ? code - 0xdc00 : undefined
}

/** How many bytes make the character that begins here; 0 where none does. */
function characterAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  const end = at + length
  return end <= bytes.length && isUtf8(bytes.subarray(at, end)) ? length : 0
}
