/** What stands between two fields. `both` takes commas and semicolons alike. */
export type Separator = 'comma' | 'semicolon' | 'both' | 'tab' | 'pipe'

const characters: Record<Separator, string> = { comma: ',', semicolon: ';', both: ',;', tab: '\t', pipe: '|' }

/** Records of quoted or plain fields (RFC 4180), with any line ending. */
export function parseTable(text: string, separator: Separator, most = Number.POSITIVE_INFINITY): string[][] {
  const separators = characters[separator]
  const first = separators.charCodeAt(0)
  const second = separators.charCodeAt(separators.length - 1)
  const rows: string[][] = []
  let row: string[] = []
  let at = 0
  while (at < text.length && rows.length < most) {
    let field: string
    if (text.charCodeAt(at) === quote) {
      const end = endOfQuoted(text, at + 1)
      field = text.slice(at + 1, end).replaceAll('""', '"')
      at = end + 1
      // Text between the closing quote and the separator is not valid; it is kept, as most programs do.
      const start = at
      while (at < text.length && !isEnd(text.charCodeAt(at), first, second)) at += 1
      field += text.slice(start, at)
    } else {
      const start = at
      while (at < text.length && !isEnd(text.charCodeAt(at), first, second)) at += 1
      field = text.slice(start, at)
    }
    row.push(field)
    const code = text.charCodeAt(at)
    at += 1
    if (code === first || code === second) {
      // A separator at the very end is followed by an empty field.
      if (at < text.length) continue
      row.push('')
    }
    if (code === carriageReturn && text.charCodeAt(at) === lineFeed) at += 1
    // An empty line is no record.
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }
  return rows
}

/**
 * By the first line, quoted fields left aside. Tabs count where there are as many of them as of commas and semicolons,
 * pipes where there are more: a comma in a field is common. Commas and semicolons together, or nothing, are `both`.
 */
export function guessSeparator(text: string): Separator {
  const line = firstLine(text)
  const count = (character: string) => line.split(character).length - 1
  const [commas, semicolons, tabs, pipes] = [count(','), count(';'), count('\t'), count('|')]
  if (tabs > 0 && tabs >= commas + semicolons && tabs >= pipes) return 'tab'
  if (pipes > commas + semicolons) return 'pipe'
  if (semicolons > 0 && commas === 0) return 'semicolon'
  return commas > 0 && semicolons === 0 ? 'comma' : 'both'
}

/** Those to choose from. Tabs and pipes only where the first line has some. */
export function separatorsOf(text: string): Separator[] {
  const line = firstLine(text)
  const rare = (['tab', 'pipe'] as const).filter((separator) => line.includes(characters[separator]))
  return ['comma', 'semicolon', 'both', ...rare]
}

const firstLine = (text: string): string =>
  /^[^\r\n]*/.exec(text.slice(0, 65_536))?.[0].replaceAll(/"[^"]*"/g, '') ?? ''

const quote = 34
const lineFeed = 10
const carriageReturn = 13

const isEnd = (code: number, first: number, second: number): boolean =>
  code === first || code === second || code === lineFeed || code === carriageReturn

/** The index of the closing quote; two in a row are one of the text. */
function endOfQuoted(text: string, from: number): number {
  let at = text.indexOf('"', from)
  while (at !== -1 && text.charCodeAt(at + 1) === quote) at = text.indexOf('"', at + 2)
  return at === -1 ? text.length : at
}
