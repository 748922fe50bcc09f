import { foldOf, type NameFilter } from '../storage/name-filter.ts'

/**
 * All words must occur in the name, in any order and case; "several words" in quotes count as one. With `type:image` and
 * the like, one of the types must match as well; `case:sensitive` compares case.
 */
export function filterOf(query: string): NameFilter {
  const types: string[] = []
  const words: string[] = []
  let isCaseSensitive = false
  for (const [, phrase, word = ''] of query.matchAll(/"([^"]+)"|(\S+)/g)) {
    if (phrase !== undefined) words.push(phrase)
    else if (/^case:(in)?sensitive$/.test(word)) isCaseSensitive ||= word === 'case:sensitive'
    else if (/^type:[\w.]+$/.test(word)) types.push(word.slice(5))
    else words.push(word)
  }
  return { words: withoutContained(words, foldOf(isCaseSensitive)), isCaseSensitive, types: [...new Set(types)] }
}

/**
 * Without the words that others contain. Of the rest a name has at most one for each of its characters, so that a query of
 * thousands that all occur in a name costs no more than one of a few.
 */
function withoutContained(words: readonly string[], fold: (word: string) => string): string[] {
  let all = ''
  const isContained = (word: string) => !word.includes(notInNames) && all.includes(word)
  const folded = words.map((word) => [word, fold(word)] as const).toSorted(([, a], [, b]) => b.length - a.length)
  return folded.flatMap(([word, as]) => {
    if (isContained(as)) return []
    all += as + notInNames
    return word
  })
}

const notInNames = '/'
