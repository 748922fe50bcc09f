import { nameOf } from '@filestead/contract'

/** The words of a query that can be seen in a name: filters such as `type:image` are not, quotes are taken off. */
export function visibleTerms(query: string): string[] {
  return partsOf(query)
    .filter((part) => !isFilter(part))
    .map((part) => part.replaceAll('"', ''))
    .filter((part) => part !== '')
}

const partsOf = (query: string): string[] => query.match(/"[^"]*"|\S+/g) ?? []
const isFilter = (part: string): boolean => /^(type|case):/i.test(part)
const filtersOf = (query: string): string => partsOf(query).filter(isFilter).toSorted().join(' ')

export interface Piece {
  text: string
  isMatch: boolean
}

/** Cuts a name into what matched and what lies between, case left aside. */
export function highlight(name: string, terms: readonly string[]): Piece[] {
  const wanted = terms.filter((term) => term !== '').map(escapeRegExp)
  if (wanted.length === 0) return [{ text: name, isMatch: false }]
  return name
    .split(new RegExp(`(${wanted.join('|')})`, 'iu'))
    .map((text, index) => ({ text, isMatch: index % 2 === 1 }))
    .filter(({ text }) => text !== '')
}

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** Without case, and composed as the server composes names. */
const folded = (text: string): string => text.normalize('NFC').toLowerCase()

/**
 * The place of an entry among the results, the least first: the whole name, its beginning, the beginning of a word,
 * anything else; of two the one that lies less deep.
 */
export function rankOf(path: string, terms: readonly string[]): number {
  const name = folded(nameOf(`/${path}`))
  const term = folded(terms[0] ?? '')
  const depth = Math.min(path.split('/').length, 99)
  return closeness(name, term) * 100 + depth
}

function closeness(name: string, term: string): number {
  if (name === term || name.replace(/\.[^.]*$/, '') === term) return 0
  const at = name.indexOf(term)
  if (at === 0) return 1
  return at > 0 && !/[\p{L}\p{N}]/u.test(name[at - 1] ?? '') ? 2 : 3
}

/**
 * Those results of an earlier query that the next one would find, too, to be shown until its own arrive. None where its
 * filters are others.
 */
export function narrowed<Found extends { name: string }>(
  found: readonly Found[],
  before: string,
  now: string,
): Found[] {
  if (filtersOf(before) !== filtersOf(now)) return []
  const terms = visibleTerms(now).map(folded)
  return found.filter(({ name }) => {
    const last = folded(nameOf(`/${name}`))
    return terms.every((term) => last.includes(term))
  })
}
