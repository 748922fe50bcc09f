export type Separator = 'comma' | 'semicolon' | 'both'

const signs: Record<Separator, string> = { comma: ',', semicolon: ';', both: ',;' }

/** Records of quoted or plain fields (RFC 4180), also with both separators mixed, and with any line ending. */
export function parseTable(text: string, separator: Separator, most = Number.POSITIVE_INFINITY): string[][] {
  const dividers = signs[separator]
  const first = dividers.charCodeAt(0)
  const second = dividers.charCodeAt(dividers.length - 1)
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length && rows.length < most) {
    let field: string
    if (text.charCodeAt(at) === quote) {
      const end = endOfQuoted(text, at + 1)
      field = text.slice(at + 1, end).replaceAll('""', '"')
      at = end + 1
      // What stands between the closing quote and the divider belongs to nobody; most programs keep it.
      const start = at
      while (at < text.length && !isEnd(text.charCodeAt(at), first, second)) at += 1
      field += text.slice(start, at)
    } else {
      const start = at
      while (at < text.length && !isEnd(text.charCodeAt(at), first, second)) at += 1
      field = text.slice(start, at)
    }
    row.push(field)
    const sign = text.charCodeAt(at)
    at += 1
    if (sign === first || sign === second) {
      // A divider at the very end leaves an empty field behind it.
      if (at < text.length) continue
      row.push('')
    }
    if (sign === carriageReturn && text.charCodeAt(at) === lineFeed) at += 1
    // A line with nothing on it is no record.
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }
  return rows
}

/** The separator that the first line uses, or both when it uses both or none. */
export function guessSeparator(text: string): Separator {
  const line = /^[^\r\n]*/.exec(text.slice(0, 65_536))?.[0].replaceAll(/"[^"]*"/g, '') ?? ''
  if (line.includes(';') && !line.includes(',')) return 'semicolon'
  if (line.includes(',') && !line.includes(';')) return 'comma'
  return 'both'
}

const quote = 34
const lineFeed = 10
const carriageReturn = 13

const isEnd = (code: number, first: number, second: number): boolean =>
  code === first || code === second || code === lineFeed || code === carriageReturn

/** Where the closing quote stands; two in a row are one of the text. */
function endOfQuoted(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at !== -1 && text.charCodeAt(at + 1) === quote) at = text.indexOf('"', at + 2)
  return at === -1 ? text.length : at
}
