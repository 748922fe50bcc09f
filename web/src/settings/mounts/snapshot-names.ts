const two = (value: number): string => String(value).padStart(2, '0')

const shorthands: Readonly<Record<string, string>> = {
  '%F': '%Y-%m-%d',
  '%T': '%H:%M:%S',
  '%R': '%H:%M',
  '%D': '%m/%d/%y',
}

const fields: Readonly<Record<string, (time: Date) => string>> = {
  Y: (time) => String(time.getFullYear()),
  y: (time) => two(time.getFullYear() % 100),
  m: (time) => two(time.getMonth() + 1),
  d: (time) => two(time.getDate()),
  H: (time) => two(time.getHours()),
  M: (time) => two(time.getMinutes()),
  S: (time) => two(time.getSeconds()),
  j: (time) => String(dayOfYear(time)).padStart(3, '0'),
  s: (time) => String(Math.floor(time.getTime() / 1000)),
  z: () => '+0000',
  '%': () => '%',
}

/**
 * What a snapshot would be called by a pattern with the fields of strftime, of which the server knows these. Null where
 * there is a field that it does not know, or none that tells the year.
 */
export function exampleOf(pattern: string, at: number): string | null {
  const time = new Date(at)
  const whole = pattern.replaceAll(/%[FTRD]/g, (short) => shorthands[short] ?? short)
  if (!/%[Yys]/.test(whole.replaceAll('%%', ''))) return null
  let isKnown = true
  const text = whole.replaceAll(/%(.?)/gsu, (_, name: string) => {
    const write = fields[name]
    if (write === undefined) isKnown = false
    return write?.(time) ?? ''
  })
  return isKnown ? text.replaceAll('*', '…') : null
}

function dayOfYear(time: Date): number {
  const first = Date.UTC(time.getFullYear(), 0, 1)
  return Math.round((Date.UTC(time.getFullYear(), time.getMonth(), time.getDate()) - first) / 86_400_000) + 1
}
