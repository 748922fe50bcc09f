import { LruMap } from '../lru-map.ts'

/** In characters: a longer text is not kept, and all that are kept have no more than so many together. */
const longestKept = 262_144
const mostKept = 1_048_576

/**
 * LRU cache of texts and what they were compressed to. A folder that has not changed is asked for again and again, and to
 * compress its listing takes as long as all else about the request.
 */
export function compressedTexts(
  compress: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>,
  most = mostKept,
): (text: string) => Uint8Array<ArrayBuffer> {
  const kept = new LruMap<string, Uint8Array<ArrayBuffer>>(most, ({ length }) => length)
  return (text) => {
    const known = kept.get(text)
    if (known !== undefined) return known
    const bytes = compress(Buffer.from(text))
    if (text.length <= longestKept) kept.set(text, bytes)
    return bytes
  }
}
