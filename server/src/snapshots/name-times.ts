/** What a name tells by a pattern. */
export interface NameTime {
  /** In milliseconds since 1970; undefined where the pattern has no fields of a date. */
  readonly at: number | undefined
  /** What the first '*' stands for. */
  readonly any: string | undefined
}

export type NameFormat = (name: string) => NameTime | undefined

/**
 * Names by a pattern with the fields of strftime (`auto-%Y-%m-%d_%H-%M`), where '*' stands for any letters. A pattern with
 * an unknown field is undefined. With `isLocal` the fields tell the time of this machine, otherwise UTC.
 */
export function nameFormat(pattern: string, { isLocal }: { isLocal: boolean }): NameFormat | undefined {
  const fields: string[] = []
  let source = ''
  const text = pattern.replaceAll(/%[FTRD]/g, (short) => shorthands[short] ?? short)
  for (const [part] of text.matchAll(/%.?|\*|[^%*]+/gsu)) {
    const field = part.startsWith('%') ? part.slice(1) : undefined
    if (part === '*') {
      source += fields.includes('any') ? '.*' : '(.*)'
      if (!fields.includes('any')) fields.push('any')
    } else if (field === undefined || field === '%') source += escaped(field ?? part)
    else {
      const digits = fieldDigits[field]
      if (digits === undefined) return undefined
      fields.push(field)
      source += `(${digits})`
    }
  }
  const whole = new RegExp(`^${source}$`, 's')
  return (name) => {
    const [, ...values] = whole.exec(name) ?? []
    if (values.length !== fields.length || (values.length === 0 && !whole.test(name))) return undefined
    const told = (field: string): string | undefined => values[fields.lastIndexOf(field)]
    const at = timeOf(told, isLocal)
    return at === 'none' ? undefined : { at, any: told('any') }
  }
}

const shorthands: Readonly<Record<string, string>> = {
  '%F': '%Y-%m-%d',
  '%T': '%H:%M:%S',
  '%R': '%H:%M',
  '%D': '%m/%d/%y',
}

const two = '\\d\\d'
const fieldDigits: Readonly<Record<string, string>> = {
  ...{ Y: '\\d{4}', y: two, m: two, d: two, H: two, M: two, S: two },
  ...{ j: '\\d{3}', s: '\\d{9,11}', z: '[+-]\\d\\d:?\\d\\d|Z' },
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** 'none' for what is no time, such as the 31st of February. */
function timeOf(told: (field: string) => string | undefined, isLocal: boolean): number | undefined | 'none' {
  const seconds = told('s')
  if (seconds !== undefined) return Number(seconds) * 1000
  const short = told('y')
  const year = Number(told('Y') ?? (short && `20${short}`) ?? Number.NaN)
  if (Number.isNaN(year)) return undefined
  const ofYear = told('j')
  const number = (field: string, otherwise: number) => Number(told(field) ?? otherwise)
  const [month, day] = ofYear === undefined ? [number('m', 1), number('d', 1)] : [1, Number(ofYear)]
  const [hour, minute, second] = [number('H', 0), number('M', 0), number('S', 0)]
  const date = new Date(Date.UTC(year, month - 1, day))
  const isDate = ofYear === undefined ? date.getUTCMonth() === month - 1 && day > 0 : date.getUTCFullYear() === year
  if (!isDate || hour > 23 || minute > 59 || second > 60) return 'none'
  const zone = told('z')
  if (zone === undefined && isLocal) return new Date(year, month - 1, day, hour, minute, second).getTime()
  return Date.UTC(year, month - 1, day, hour, minute, second) - offsetOf(zone)
}

/** In milliseconds. */
function offsetOf(zone: string | undefined): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone ?? '') ?? []
  if (sign === undefined) return 0
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}
