import { type NameEncoding, nameEncodings } from '@filestead/contract'

/** The upper half of code page 437, which no decoder of the platform knows. */
const upper437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0'

const decoders = new Map<NameEncoding, TextDecoder>(
  nameEncodings
    .filter((encoding) => encoding !== 'cp437')
    .map((encoding) => [encoding, new TextDecoder(encoding, { fatal: true, ignoreBOM: true })]),
)

/** Undefined where the bytes are not of this encoding. */
export function decoded(bytes: Uint8Array, encoding: NameEncoding): string | undefined {
  if (encoding === 'cp437') return decoded437(bytes)
  try {
    return decoders.get(encoding)?.decode(bytes)
  } catch {
    return undefined
  }
}

/** The same, with an underscore for what cannot be read. */
export const decodedAnyhow = (bytes: Uint8Array, encoding: NameEncoding): string =>
  decoded(bytes, encoding) ??
  new TextDecoder(encoding === 'cp437' ? 'utf-8' : encoding).decode(bytes).replaceAll('\ufffd', '_')

function decoded437(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += byte < 0x80 ? String.fromCharCode(byte) : upper437[byte - 0x80]
  return text
}

/** Of an archive, in the order in which equals win. */
const candidates = ['shift_jis', 'gbk', 'euc-kr', 'ibm866', 'cp437', 'windows-1252'] as const

/** The encoding in which most of these names, of which none is UTF-8, look like names. */
export function guessEncoding(samples: readonly Uint8Array[]): NameEncoding {
  let best: { encoding: NameEncoding; score: number } = { encoding: 'cp437', score: Number.NEGATIVE_INFINITY }
  for (const encoding of candidates) {
    const score = samples.reduce((sum, sample) => sum + scoreOf(sample, encoding), 0)
    if (score > best.score) best = { encoding, score }
  }
  return best.encoding
}

const impossible = -10

/** How much the bytes beyond ASCII look like letters of the language that an encoding is for: for each of them 1 at the most. */
function scoreOf(bytes: Uint8Array, encoding: (typeof candidates)[number]): number {
  const text = decoded(bytes, encoding)
  if (text === undefined) return impossible * bytes.length
  if (encoding === 'shift_jis' || encoding === 'gbk' || encoding === 'euc-kr') return scoreOfPairs(bytes, encoding)
  let score = 0
  const characters = [...text]
  characters.forEach((character, at) => {
    if (character <= '\x7f') return
    score += scoreOfLetter(character, characters[at - 1] ?? '', characters[at + 1] ?? '')
  })
  return score
}

/** A word is of one script: Cyrillic letters stand together, letters with accents beside plain ones. */
function scoreOfLetter(character: string, before: string, after: string): number {
  if (/\p{Script=Cyrillic}/u.test(character)) {
    if (/[A-Za-z]/.test(before) || /[A-Za-z]/.test(after)) return -1
    // Few names have one letter alone, and none has a capital behind a small one.
    if (/\p{Ll}/u.test(before) && /\p{Lu}/u.test(character)) return -0.5
    return /\p{Script=Cyrillic}/u.test(before + after) ? 1 : 0
  }
  if (/[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f]/.test(character)) {
    if (/\p{Ll}/u.test(before) && /\p{Lu}/u.test(character)) return -0.5
    const besides = [before, after].filter((other) => other > '\x7f').length
    return besides === 2 ? -0.3 : besides === 1 ? 0.2 : 0.8
  }
  return -0.6
}

/** By lead byte, because the common characters of these stand together in their tables. */
function scoreOfPairs(bytes: Uint8Array, encoding: 'shift_jis' | 'gbk' | 'euc-kr'): number {
  let score = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number
    if (byte < 0x80) continue
    if (encoding === 'shift_jis' && byte >= 0xa1 && byte <= 0xdf) {
      score -= 0.4
      continue
    }
    const second = bytes[at + 1] ?? 0
    at += 1
    score += 2 * weightOfPair(encoding, byte, second)
  }
  return score
}

function weightOfPair(encoding: 'shift_jis' | 'gbk' | 'euc-kr', first: number, second: number): number {
  if (encoding === 'shift_jis') {
    const isKana = (first === 0x82 && second >= 0x9f) || (first === 0x83 && second <= 0x96)
    if (isKana || (first === 0x81 && second >= 0x40)) return 1
    return first >= 0x88 && first <= 0x97 ? 0.8 : -0.2
  }
  const isOfOldSet = second >= 0xa1
  if (encoding === 'gbk') return isOfOldSet && first >= 0xb0 && first <= 0xd7 ? 0.85 : isOfOldSet ? 0 : -0.5
  return isOfOldSet && first >= 0xb0 && first <= 0xc8 ? 0.9 : isOfOldSet ? -0.1 : -0.5
}
