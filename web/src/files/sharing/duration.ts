import { longestShareDuration, type ShareUnit, secondsInUnit } from '@filestead/contract'
import { formatExact, formatRelativeSeconds } from '../../i18n/format.ts'

/** How long a link stays. */
export interface Duration {
  /** 0 is for ever. */
  amount: number
  unit: ShareUnit
}

/** The usual durations, one click away. */
export const presets = [
  { id: 'never', label: 'share.never', amount: 0, unit: 'hours' },
  { id: 'hour', label: 'share.oneHour', amount: 1, unit: 'hours' },
  { id: 'day', label: 'share.oneDay', amount: 1, unit: 'days' },
  { id: 'week', label: 'share.oneWeek', amount: 7, unit: 'days' },
] as const satisfies readonly (Duration & { id: string; label: string })[]

/** The server refuses more, in any unit. */
export const isTooLong = ({ amount }: Duration): boolean => amount > longestShareDuration

/** When a new link of that duration ends, in Unix seconds; 0 when it never does. */
export const expiryOf = ({ amount, unit }: Duration, now = Date.now()): number =>
  amount > 0 ? now / 1000 + amount * secondsInUnit[unit] : 0

/** Such an end has no date that could be written: a calendar here ends with the year 9999. */
const lastDate = Date.UTC(9999, 11, 31) / 1000

export type End = { date: Date; exact: string } | { date: null; relative: string }

/** The end of a link, which may be millions of years away, for people. */
export function describeEnd(expire: number, now = Date.now()): End {
  if (expire > lastDate) return { date: null, relative: formatRelativeSeconds(expire - now / 1000) }
  const date = new Date(expire * 1000)
  return { date, exact: formatExact(date) }
}

/** Links that never end first, then by how soon they end. */
export const byExpiry = (a: { expire: number }, b: { expire: number }): number =>
  a.expire === 0 || b.expire === 0 ? (a.expire === 0 ? 0 : 1) - (b.expire === 0 ? 0 : 1) : a.expire - b.expire
