import { mediaTypeOf } from '../http/media-types.ts'

/** Does the query match an entry of this name? */
export type Matcher = (name: string) => boolean

/**
 * All words must occur in the name, in any order and case; "several words" in quotes count as one. With `type:image` and
 * the like, one of the types must match as well; `case:sensitive` compares case.
 */
export function parseQuery(query: string): Matcher {
  const types: Matcher[] = []
  const words: string[] = []
  let isCaseSensitive = false
  for (const [, phrase, word = ''] of query.matchAll(/"([^"]+)"|(\S+)/g)) {
    if (phrase !== undefined) words.push(phrase)
    else if (/^case:(in)?sensitive$/.test(word)) isCaseSensitive ||= word === 'case:sensitive'
    else if (/^type:[\w.]+$/.test(word)) types.push(typeMatcher(word.slice(5)))
    else words.push(word)
  }
  const fold = isCaseSensitive ? composed : (text: string) => composed(text).toLowerCase()
  const terms = [...new Set(words.map(fold))]
  const [only] = terms
  const hasWords: Matcher =
    only === undefined
      ? () => true
      : terms.length === 1
        ? (name) => fold(name).includes(only)
        : (name) => includesAll(fold(name), terms)
  return types.length === 0 ? hasWords : (name) => hasWords(name) && types.some((matches) => matches(name))
}

const families: Readonly<Record<string, string>> = {
  image: 'image/',
  audio: 'audio/',
  music: 'audio/',
  video: 'video/',
}

/** A family of types, or an extension as it is written. */
function typeMatcher(type: string): Matcher {
  const family = Object.hasOwn(families, type) ? families[type] : undefined
  if (family === undefined) return (name) => name.endsWith(`.${type}`)
  return (name) => mediaTypeOf(name)?.startsWith(family) ?? false
}

/** Unicode normalisation: file systems store an umlaut as one code point or as two. */
const composed = (text: string): string => text.normalize('NFC')

const includesAll = (text: string, terms: readonly string[]): boolean => terms.every((term) => text.includes(term))
