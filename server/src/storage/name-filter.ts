import { mediaTypeOf } from '../http/media-types.ts'

/** Which names are wanted, as plain data that can be sent to a thread. */
export interface NameFilter {
  /** All of them must occur in the name. */
  readonly words: readonly string[]
  readonly isCaseSensitive: boolean
  /** One of them must fit, if there are any: a family of media types, or an extension as it is written. */
  readonly types: readonly string[]
}

export type NameMatcher = (name: string) => boolean

export function matcherOf({ words, isCaseSensitive, types }: NameFilter): NameMatcher {
  const fold = isCaseSensitive ? composed : (text: string) => composed(text).toLowerCase()
  const terms = [...new Set(words.map(fold))]
  const [only] = terms
  const hasWords: NameMatcher =
    only === undefined
      ? () => true
      : terms.length === 1
        ? (name) => fold(name).includes(only)
        : (name) => includesAll(fold(name), terms)
  const typeMatchers = types.map(typeMatcher)
  return types.length === 0 ? hasWords : (name) => hasWords(name) && typeMatchers.some((matches) => matches(name))
}

const families: Readonly<Record<string, string>> = {
  image: 'image/',
  audio: 'audio/',
  music: 'audio/',
  video: 'video/',
}

function typeMatcher(type: string): NameMatcher {
  const family = Object.hasOwn(families, type) ? families[type] : undefined
  if (family === undefined) return (name) => name.endsWith(`.${type}`)
  return (name) => mediaTypeOf(name)?.startsWith(family) ?? false
}

/** Unicode normalisation: file systems store an umlaut as one code point or as two. */
const composed = (text: string): string => text.normalize('NFC')

const includesAll = (text: string, terms: readonly string[]): boolean => terms.every((term) => text.includes(term))
