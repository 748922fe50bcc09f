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
  const fold = foldOf(isCaseSensitive)
  const terms = [...new Set(words.map(fold))]
  const [only] = terms
  const hasWords: NameMatcher =
    only === undefined
      ? () => true
      : terms.length === 1
        ? (name) => fold(name).includes(only)
        : (name) => includesAll(fold(name), terms)
  const hasType = typeMatcher(types)
  return types.length === 0 ? hasWords : (name) => hasWords(name) && hasType(name)
}

/** How texts are compared. */
export const foldOf = (isCaseSensitive: boolean): ((text: string) => string) =>
  isCaseSensitive ? composed : (text) => composed(text).toLowerCase()

const families: Readonly<Record<string, string>> = {
  image: 'image/',
  audio: 'audio/',
  music: 'audio/',
  video: 'video/',
}

/** Looks each extension of a name up, so that a name costs the same however many types are asked for. */
function typeMatcher(types: readonly string[]): NameMatcher {
  const isFamily = (type: string) => Object.hasOwn(families, type)
  const prefixes = [...new Set(types.filter(isFamily).map((type) => families[type] ?? ''))]
  const extensions = new Set(types.filter((type) => !isFamily(type)))
  const hasExtension: NameMatcher = (name) => {
    for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1))
      if (extensions.has(name.slice(dot + 1))) return true
    return false
  }
  return (name) => {
    if (extensions.size > 0 && hasExtension(name)) return true
    const mediaType = prefixes.length === 0 ? undefined : mediaTypeOf(name)
    return mediaType !== undefined && prefixes.some((prefix) => mediaType.startsWith(prefix))
  }
}

/** Unicode normalisation: file systems store an umlaut as one code point or as two. */
const composed = (text: string): string => text.normalize('NFC')

const includesAll = (text: string, terms: readonly string[]): boolean => terms.every((term) => text.includes(term))
