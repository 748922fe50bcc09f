import { currentTag, t } from './i18n.ts'
import { ownTimes } from './icelandic.ts'

const binary = ['b', 'kib', 'mib', 'gib', 'tib', 'pib'] as const

/** Binary units with at most two decimals: 163 B, 616.5 KiB. */
export function formatSize(bytes: number): string {
  const { amount, unit } = scale(bytes, 1023.995)
  return t(`units.${unit}`, { amount: number({ maximumFractionDigits: 2 }).format(amount) })
}

/** Three digits are enough for a disk: 20.9 GiB. */
export function formatRoughSize(bytes: number): string {
  const { amount, unit } = scale(bytes, 999.5)
  return t(`units.${unit}`, { amount: number({ maximumSignificantDigits: 3 }).format(amount) })
}

/** 0.42 as 42%. */
export const formatPercent = (share: number): string =>
  number({ style: 'percent', maximumFractionDigits: 0 }).format(share)

export const formatNumber = (value: number): string => number({}).format(value)

/** Folders of a bucket and mounts that are away have no time; the server tells the first moment of 1970. */
export const isKnownTime = (time: Date): boolean => time.getTime() !== 0

const unknown = '—'

/** 2 hours ago, yesterday, in 3 days. */
export const formatRelative = (time: Date, now = new Date()): string =>
  isKnownTime(time) ? formatRelativeSeconds((time.getTime() - now.getTime()) / 1000) : unknown

/** The same for a time so many seconds from now, which may be further away than a Date can be. */
export function formatRelativeSeconds(seconds: number): string {
  const step = steps.find(({ upTo }) => Math.abs(seconds) < upTo) ?? steps[5]
  const amount = Math.round(seconds / step.seconds)
  return ownTimes(currentTag())?.sayTime(amount, step.unit) ?? relative().format(amount, step.unit)
}

/** For short lists that we sort ourselves. Folders are sorted by the server: a hundred thousand names would take long. */
export const compareNames = (a: string, b: string): number => collator().compare(a, b)

/** The day and the minute, as the language writes them, with all four digits of the year. */
export const formatExact = (time: Date): string => (isKnownTime(time) ? exact().format(time) : unknown)

/** The day of a time, with the year unless it is the present one, and with the minute if it is less than two days away. */
export function formatDay(time: Date, now = new Date()): string {
  const isNear = Math.abs(time.getTime() - now.getTime()) < 2 * 86_400_000
  const isThisYear = time.getFullYear() === now.getFullYear()
  const day: Intl.DateTimeFormatOptions = { month: 'short', day: 'numeric' }
  const minute: Intl.DateTimeFormatOptions = { hour: 'numeric', minute: '2-digit' }
  return formatter('day', Intl.DateTimeFormat, {
    ...day,
    ...(!isThisYear && { year: 'numeric' }),
    ...(isNear && minute),
  }).format(time)
}

const steps = [
  { upTo: 45, seconds: 1, unit: 'second' },
  { upTo: 45 * 60, seconds: 60, unit: 'minute' },
  { upTo: 22 * 3600, seconds: 3600, unit: 'hour' },
  { upTo: 26 * 86_400, seconds: 86_400, unit: 'day' },
  { upTo: 320 * 86_400, seconds: 30.44 * 86_400, unit: 'month' },
  { upTo: Number.POSITIVE_INFINITY, seconds: 365.25 * 86_400, unit: 'year' },
] as const satisfies { upTo: number; seconds: number; unit: Intl.RelativeTimeFormatUnit }[]

function scale(bytes: number, limit: number) {
  const [smallest, ...larger] = binary
  let unit: (typeof binary)[number] = smallest
  let amount = bytes
  for (const next of larger) {
    // Past the limit rounding would write a full 1024 of the smaller unit.
    if (amount < limit) break
    amount /= 1024
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
