import { currentTag } from './i18n.ts'

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/** Binary units with at most two decimals: 163 B, 616.5 KiB. */
export function formatSize(bytes: number): string {
  const { amount, unit } = scale(bytes, 1024, 1023.995)
  return `${number({ maximumFractionDigits: 2 }).format(amount)} ${units[unit]}`
}

/** Three digits are enough for a disk: 20.9 GiB. */
export function formatRoughSize(bytes: number): string {
  const { amount, unit } = scale(bytes, 1024, 999.5)
  return `${number({ maximumSignificantDigits: 3 }).format(amount)} ${units[unit]}`
}

/** 0.42 as 42%. */
export const formatPercent = (share: number): string => number({ style: 'percent' }).format(share)

export const formatNumber = (value: number): string => number({}).format(value)

/** 2 hours ago, yesterday, in 3 days. */
export function formatRelative(time: Date, now = new Date()): string {
  const seconds = (time.getTime() - now.getTime()) / 1000
  const step = steps.find(({ upTo }) => Math.abs(seconds) < upTo) ?? steps.at(-1)
  if (step === undefined) return formatExact(time)
  return relative().format(Math.round(seconds / step.seconds), step.unit)
}

/** The day and the minute, as the language writes them. */
export const formatExact = (time: Date): string => exact().format(time)

const steps = [
  { upTo: 45, seconds: 1, unit: 'second' },
  { upTo: 45 * 60, seconds: 60, unit: 'minute' },
  { upTo: 22 * 3600, seconds: 3600, unit: 'hour' },
  { upTo: 26 * 86_400, seconds: 86_400, unit: 'day' },
  { upTo: 320 * 86_400, seconds: 30.44 * 86_400, unit: 'month' },
  { upTo: Number.POSITIVE_INFINITY, seconds: 365.25 * 86_400, unit: 'year' },
] as const satisfies { upTo: number; seconds: number; unit: Intl.RelativeTimeFormatUnit }[]

function scale(bytes: number, base: number, limit: number): { amount: number; unit: number } {
  let amount = bytes
  let unit = 0
  // Past the limit rounding would write a full 1024 of the smaller unit.
  while (amount >= limit && unit < units.length - 1) {
    amount /= base
    unit += 1
  }
  return { amount, unit }
}

const number = (options: Intl.NumberFormatOptions) => formatter('number', Intl.NumberFormat, options)
const relative = () => formatter('relative', Intl.RelativeTimeFormat, { numeric: 'auto' })
const exact = () => formatter('exact', Intl.DateTimeFormat, { dateStyle: 'short', timeStyle: 'short' })

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
