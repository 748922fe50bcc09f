import { type Encoding, guessEncoding } from '../../formats/encodings.ts'
import { guessSeparator, parseTable, type Separator, separatorsOf } from './parse.ts'

/** More rows would be taller than a browser can scroll. */
export const mostRows = 500_000

export interface Loaded {
  encoding: Encoding
  separator: Separator
  /** Those to choose from. */
  separators: Separator[]
  /** The first record; '' where it says nothing. */
  header: string[]
  rowCount: number
  /** The longest text of each column in the first rows, in characters. */
  widths: number[]
  /** Columns that hold numbers, as far as the first rows tell. */
  numeric: boolean[]
  isCut: boolean
}

export interface Order {
  column: number
  isDescending: boolean
}

export interface Row {
  /** From 1, as in the file. */
  number: number
  fields: string[]
}

/** A table in memory, and one view of it: filtered and sorted. Used in a worker. */
export class Table {
  #rows: string[][] = []
  #shown: Uint32Array = new Uint32Array()

  constructor(private readonly bytes: Uint8Array) {}

  /** Encoding and separator are guessed where they are not given. */
  load(wanted: { encoding?: Encoding | undefined; separator?: Separator | undefined }): Loaded {
    const encoding = wanted.encoding ?? guessEncoding(this.bytes)
    const text = new TextDecoder(encoding).decode(this.bytes)
    const separator = wanted.separator ?? guessSeparator(text)
    const [header = [], ...rows] = parseTable(text, separator, mostRows + 2)
    const isCut = rows.length > mostRows
    if (isCut) rows.length = mostRows
    this.#rows = rows
    this.#shown = Uint32Array.from(rows.keys())
    const columns = rows.reduce((most, row) => Math.max(most, row.length), header.length)
    const sample = [header, ...rows.slice(0, 200)]
    return {
      encoding,
      separator,
      separators: separatorsOf(text),
      header: Array.from({ length: columns }, (_, index) => header[index]?.trim() ?? ''),
      rowCount: rows.length,
      widths: Array.from({ length: columns }, (_, index) =>
        sample.reduce((most, row) => Math.max(most, row[index]?.length ?? 0), 0),
      ),
      numeric: Array.from({ length: columns }, (_, index) => isNumeric(sample.slice(1), index)),
      isCut,
    }
  }

  /** Answers how many rows are left. */
  arrange(filter: string, order: Order | null): number {
    const wanted = filter.trim().toLowerCase()
    const rows = this.#rows
    const kept: number[] = []
    for (const [index, row] of rows.entries())
      if (wanted === '' || row.some((field) => field.toLowerCase().includes(wanted))) kept.push(index)
    if (order !== null) {
      const compare = comparing(rows, order.column)
      kept.sort((a, b) => (order.isDescending ? compare(b, a) : compare(a, b)) || a - b)
    }
    this.#shown = Uint32Array.from(kept)
    return kept.length
  }

  slice(from: number, to: number): Row[] {
    return Array.from(this.#shown.subarray(from, to), (index) => ({
      number: index + 1,
      fields: this.#rows[index] ?? [],
    }))
  }
}

/** Numbers by value, texts by the alphabet, empty fields first. */
function comparing(rows: readonly string[][], column: number): (a: number, b: number) => number {
  const texts = rows.map((row) => row[column]?.trim() ?? '')
  const numbers = texts.map(toNumber)
  const alphabet = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })
  return (a, b) => {
    const [left, right] = [numbers[a] ?? Number.NaN, numbers[b] ?? Number.NaN]
    if (!Number.isNaN(left) && !Number.isNaN(right)) return left - right
    return alphabet.compare(texts[a] ?? '', texts[b] ?? '')
  }
}

/** 1,234.50 and 1 234,50 as well: they are read by people, and not sorted by it. */
const grouped = /^[-+]?\d{1,3}(?:[,.' \u00a0\u202f]\d{3})+(?:[.,]\d+)?$/

/** Empty fields do not count. */
function isNumeric(rows: readonly string[][], column: number): boolean {
  const texts = rows.map((row) => row[column]?.trim() ?? '').filter((text) => text !== '')
  return texts.length > 0 && texts.every((text) => !Number.isNaN(toNumber(text)) || grouped.test(text))
}

/** 1234.5, -3 and 1e6, and with a comma for the point. */
function toNumber(text: string): number {
  if (!/^[-+]?\d+(?:[.,]\d+)?(?:e[-+]?\d+)?$/i.test(text)) return Number.NaN
  return Number(text.replace(',', '.'))
}
