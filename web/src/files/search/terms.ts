/** The words of a query that can be seen in a name: filters such as `type:image` are not, quotes are taken off. */
export function visibleTerms(query: string): string[] {
  const parts = query.match(/"[^"]*"|\S+/g) ?? []
  return parts
    .filter((part) => !/^(type|case):/i.test(part))
    .map((part) => part.replaceAll('"', ''))
    .filter((part) => part !== '')
}

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
