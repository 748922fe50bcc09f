import { currentTag } from '../../i18n/i18n.ts'

/** Decimal units, as programs that send files have always shown them: 7.14 MB. */
export const formatMegabytes = (bytes: number): string => `${number(bytes / 1e6)} MB`

/** 788.93 KB/s, and from a megabyte on 18.4 MB/s. */
export const formatSpeed = (speed: number): string =>
  speed < 1e6 ? `${number(speed / 1000)} KB/s` : `${number(speed / 1e6)} MB/s`

export const formatPercent = (percent: number): string =>
  new Intl.NumberFormat(currentTag(), {
    style: 'percent',
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  }).format(percent / 100)

const number = (value: number): string =>
  new Intl.NumberFormat(currentTag(), { maximumFractionDigits: 2 }).format(value)

const units = ['B', 'KB', 'MB', 'GB', 'TB']

/** In the unit that fits, for one file among others. */
export function formatDecimal(bytes: number): string {
  let amount = bytes
  let unit = 0
  while (amount >= 999.5 && unit < units.length - 1) {
    amount /= 1000
    unit += 1
  }
  const digits = amount < 100 && unit > 0 ? 1 : 0
  return `${new Intl.NumberFormat(currentTag(), { maximumFractionDigits: digits }).format(amount)} ${units[unit]}`
}
