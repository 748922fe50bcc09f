import { type Cue, escaped, longestLine, noPause, type Pause, parseTime } from './cues.ts'

const usualFields = 'Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text'

/** The spoken lines of an ASS or SSA file, without their styling. */
export async function parseAss(text: string, pause: Pause = noPause): Promise<Cue[]> {
  const cues: Cue[] = []
  let columns = columnsIn(usualFields)
  let section = ''
  for (const whole of text.split(/\r\n?|\n/)) {
    const line = whole.slice(0, longestLine)
    const rest = pause()
    if (rest) await rest
    if (line.startsWith('[')) section = line.trim().toLowerCase()
    if (section !== '[events]') continue
    if (/^Format:/i.test(line)) columns = columnsIn(line.slice(7))
    else if (/^Dialogue:/i.test(line)) cues.push(...cueIn(line.slice(9), columns))
  }
  return cues.sort((a, b) => a.start - b.start)
}

interface Columns {
  start: number
  end: number
  text: number
}

function columnsIn(format: string): Columns {
  const fields = format.split(',').map((field) => field.trim().toLowerCase())
  return { start: fields.indexOf('start'), end: fields.indexOf('end'), text: fields.length - 1 }
}

function cueIn(line: string, columns: Columns): Cue[] {
  const values = line.split(',')
  // The text comes last and may have commas of its own.
  const text = values.slice(columns.text).join(',')
  const start = parseTime(values[columns.start] ?? '')
  const end = parseTime(values[columns.end] ?? '')
  const lines = linesOf(text)
  return start === undefined || end === undefined || lines.length === 0 ? [] : [{ start, end, lines }]
}

function linesOf(text: string): string[] {
  const tags = /\{[^{}]*\}/g
  // A drawing is written as text: numbers that are not meant to be read.
  if (text.match(tags)?.some((tag) => /\\p[1-9]/.test(tag))) return []
  const plain = text.replace(tags, '').replace(/\\h/g, ' ')
  return plain
    .split(/\\n/i)
    .map((line) => escaped(line.trim()))
    .filter((line) => line !== '')
}
