import { type Cue, escaped, longestLine, noPause, type Pause, parseTime } from './cues.ts'

export async function parseSrt(text: string, pause: Pause = noPause): Promise<Cue[]> {
  const cues: Cue[] = []
  for (const whole of text.replace(/<br ?\/?>/gi, '\n').split(/\r\n?|\n/)) {
    const line = whole.slice(0, longestLine)
    const rest = pause()
    if (rest) await rest
    const times = timesIn(line)
    const last = cues.at(-1)
    if (times !== undefined) {
      // The number above the times belongs to this cue, and was taken for text of the one before.
      if (last && /^\s*\d+\s*$/.test(last.lines.at(-1) ?? '')) last.lines.pop()
      cues.push({ ...times, lines: [] })
    } else if (last !== undefined && line.trim() !== '') last.lines.push(line)
  }
  for (const cue of cues) {
    cue.lines = cue.lines.map(clean).filter((line) => line.trim() !== '')
    const rest = pause()
    if (rest) await rest
  }
  return cues.filter(({ lines }) => lines.length > 0)
}

function timesIn(line: string): Pick<Cue, 'start' | 'end'> | undefined {
  const arrow = line.indexOf('-->')
  if (arrow === -1) return undefined
  const start = parseTime(line.slice(0, arrow))
  // Some programs write a position on the screen after the times.
  const end = parseTime(
    line
      .slice(arrow + 3)
      .trim()
      .split(/\s/, 1)[0] ?? '',
  )
  return start === undefined || end === undefined ? undefined : { start, end }
}

/** Bold, italic and underlined stay; other tags have no meaning in WebVTT. */
function clean(line: string): string {
  const parts = line.replace(/\{\\[^{}]*\}/g, '').split(/(<\/?[a-z][^<>]*>)/i)
  return parts.map((part, index) => (index % 2 === 0 ? escaped(part) : plainTag(part))).join('')
}

const plainTag = (tag: string): string => (/^<\/?[biu]>$/i.test(tag) ? tag.toLowerCase() : '')
