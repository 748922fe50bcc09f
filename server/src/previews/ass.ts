import { type Cue, escaped, parseTime } from './cues.ts'

const usualFields = 'Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text'

/** The spoken lines of an ASS or SSA file, without their styling. */
export function parseAss(text: string): Cue[] {
  const cues: Cue[] = []
  let fields = fieldsIn(usualFields)
  let section = ''
  for (const line of text.split(/\r\n?|\n/)) {
    if (line.startsWith('[')) section = line.trim().toLowerCase()
    if (section !== '[events]') continue
    if (/^Format:/i.test(line)) fields = fieldsIn(line.slice(7))
    else if (/^Dialogue:/i.test(line)) cues.push(...cueIn(line.slice(9), fields))
  }
  return cues.sort((a, b) => a.start - b.start)
}

const fieldsIn = (format: string): string[] => format.split(',').map((field) => field.trim().toLowerCase())

function cueIn(line: string, fields: readonly string[]): Cue[] {
  const values = line.split(',')
  // The text comes last and may have commas of its own.
  const text = values.slice(fields.length - 1).join(',')
  const start = parseTime(values[fields.indexOf('start')] ?? '')
  const end = parseTime(values[fields.indexOf('end')] ?? '')
  const lines = linesOf(text)
  return start === undefined || end === undefined || lines.length === 0 ? [] : [{ start, end, lines }]
}

function linesOf(text: string): string[] {
  // A drawing is written as text: numbers that nobody wants to read.
  if (/\{[^{}]*\\p[1-9][^{}]*\}/.test(text)) return []
  const plain = text.replace(/\{[^{}]*\}/g, '').replace(/\\h/g, ' ')
  return plain
    .split(/\\n/i)
    .map((line) => escaped(line.trim()))
    .filter((line) => line !== '')
}
