/** A piece of text and when it is shown. Times are milliseconds; the text is ready for WebVTT. */
export interface Cue {
  start: number
  end: number
  lines: string[]
}

/** Called between two steps of long work: returns a promise when it is time to yield to the event loop. */
export type Pause = () => Promise<void> | undefined

export const noPause: Pause = () => undefined

/** Longer lines are cut: no screen shows so many letters, and a line is parsed without a pause. */
export const longestLine = 10_000

export async function toWebVtt(cues: readonly Cue[], pause: Pause = noPause): Promise<string> {
  const blocks: string[] = []
  for (const cue of cues) {
    blocks.push(`${blocks.length + 1}\n${toBlock(cue)}`)
    const rest = pause()
    if (rest) await rest
  }
  return `WEBVTT\n\n${blocks.join('\n')}`
}

const toBlock = ({ start, end, lines }: Cue): string => `${toTime(start)} --> ${toTime(end)}\n${lines.join('\n')}\n`

const toTime = (time: number): string => {
  const [milliseconds, seconds, minutes] = [time % 1000, Math.floor(time / 1000) % 60, Math.floor(time / 60_000) % 60]
  return `${padded(Math.floor(time / 3_600_000))}:${padded(minutes)}:${padded(seconds)}.${padded(milliseconds, 3)}`
}

const padded = (number: number, digits = 2): string => String(number).padStart(digits, '0')

/** 1:02:03,5 and 02:03.500: hours may be missing, a fraction of any length is one of a second. */
export function parseTime(text: string): number | undefined {
  const match = /^(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3})\d*)?$/.exec(text.trim())
  if (match === null) return undefined
  const [, hours = '0', minutes, seconds, fraction = ''] = match
  return (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000 + Number(fraction.padEnd(3, '0'))
}

/** Escapes markup characters; entities of WebVTT are kept. */
export const escaped = (text: string): string =>
  text
    .replace(/&(?!(?:amp|lt|gt|nbsp|lrm|rlm);)/g, '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
