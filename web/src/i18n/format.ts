import { currentTag, t } from './i18n.ts'
import { ownTimes } from './icelandic.ts'

const binary = ['b', 'kib', 'mib', 'gib', 'tib', 'pib'] as const
const decimal = ['b', 'kb', 'mb', 'gb', 'tb'] as const

/** Binary units with at most two decimals: 163 B, 616.5 KiB. */
export function formatSize(bytes: number): string {
  const { amount, unit } = scale(bytes, binary, 1024, 1023.995)
  return t(`units.${unit}`, { amount: number({ maximumFractionDigits: 2 }).format(amount) })
}

/** Three digits are enough for a disk: 20.9 GiB. */
export function formatRoughSize(bytes: number): string {
  const { amount, unit } = scale(bytes, binary, 1024, 999.5)
  return t(`units.${unit}`, { amount: number({ maximumSignificantDigits: 3 }).format(amount) })
}

/** Decimal units, as programs that send files have always shown them: 7.14 MB. */
export const formatMegabytes = (bytes: number): string => inUnit('mb', bytes / 1e6)

/** 788.93 KB/s, and from a megabyte on 18.4 MB/s. */
export const formatSpeed = (speed: number): string =>
  speed < 1e6 ? inUnit('kbPerSecond', speed / 1000) : inUnit('mbPerSecond', speed / 1e6)

/** In the decimal unit that fits, for one file among others. */
export function formatDecimal(bytes: number): string {
  const { amount, unit } = scale(bytes, decimal, 1000, 999.5)
  return inUnit(unit, amount, amount < 100 && unit !== 'b' ? 1 : 0)
}

/** 0.42 as 42%, or with two digits as 42.00%. */
export const formatPercent = (share: number, digits = 0): string =>
  number({ style: 'percent', minimumFractionDigits: digits, maximumFractionDigits: digits }).format(share)

export const formatNumber = (value: number): string => number({}).format(value)

/** 2 hours ago, yesterday, in 3 days. */
export const formatRelative = (time: Date, now = new Date()): string =>
  formatRelativeSeconds((time.getTime() - now.getTime()) / 1000)

/** The same for a time so many seconds from now, which may be further away than a Date can be. */
export function formatRelativeSeconds(seconds: number): string {
  const step = steps.find(({ upTo }) => Math.abs(seconds) < upTo) ?? steps[5]
  const amount = Math.round(seconds / step.seconds)
  return ownTimes(currentTag())?.sayTime(amount, step.unit) ?? relative().format(amount, step.unit)
}

/** For short lists that we sort ourselves. Folders are sorted by the server: a hundred thousand names would take long. */
export const compareNames = (a: string, b: string): number => collator().compare(a, b)

/** The day and the minute, as the language writes them, with all four digits of the year. */
export const formatExact = (time: Date): string => exact().format(time)

const steps = [
  { upTo: 45, seconds: 1, unit: 'second' },
  { upTo: 45 * 60, seconds: 60, unit: 'minute' },
  { upTo: 22 * 3600, seconds: 3600, unit: 'hour' },
  { upTo: 26 * 86_400, seconds: 86_400, unit: 'day' },
  { upTo: 320 * 86_400, seconds: 30.44 * 86_400, unit: 'month' },
  { upTo: Number.POSITIVE_INFINITY, seconds: 365.25 * 86_400, unit: 'year' },
] as const satisfies { upTo: number; seconds: number; unit: Intl.RelativeTimeFormatUnit }[]

const inUnit = (unit: (typeof decimal)[number] | 'kbPerSecond' | 'mbPerSecond', amount: number, digits = 2): string =>
  t(`units.${unit}`, { amount: number({ maximumFractionDigits: digits }).format(amount) })

function scale<Unit>(bytes: number, units: readonly [Unit, ...Unit[]], base: number, limit: number) {
  const [smallest, ...larger] = units
  let unit = smallest
  let amount = bytes
  for (const next of larger) {
    // Past the limit rounding would write a full 1024 of the smaller unit.
    if (amount < limit) break
    amount /= base
    unit = next
  }
  return { amount, unit }
}

const number = (options: Intl.NumberFormatOptions) => formatter('number', Intl.NumberFormat, options)
const collator = () => formatter('collator', Intl.Collator, { numeric: true })
const relative = () => formatter('relative', Intl.RelativeTimeFormat, { numeric: 'auto' })
const exact = () => formatter('exact', Intl.DateTimeFormat, exactParts)

/** Not `dateStyle: 'short'`, which leaves the century out in most languages. */
const exactParts: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: 'numeric',
  minute: '2-digit',
}

/** Making a formatter costs more than using it a hundred times. */
const made = new Map<string, unknown>()

function formatter<Made, Options>(
  kind: string,
  Maker: new (tag: string, options: Options) => Made,
  options: Options,
): Made {
  const key = `${currentTag()} ${kind} ${JSON.stringify(options)}`
  let formatter = made.get(key) as Made | undefined
  if (formatter === undefined) {
    formatter = new Maker(currentTag(), options)
    made.set(key, formatter)
  }
  return formatter
}
