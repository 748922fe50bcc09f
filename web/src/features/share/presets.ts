import type { ShareUnit } from '@filestead/contract'

export interface Duration {
  /** 0 is for ever. */
  amount: number
  unit: ShareUnit
}

const longestDuration = 2_147_483_647
/** Beyond a century the server refuses. */
const century = 100 * 366 * 86_400_000

/** What most people want, one click away. */
export const presets = [
  { id: 'never', label: 'share.never', amount: 0, unit: 'hours' },
  { id: 'hour', label: 'share.oneHour', amount: 1, unit: 'hours' },
  { id: 'day', label: 'share.oneDay', amount: 1, unit: 'days' },
  { id: 'week', label: 'share.oneWeek', amount: 7, unit: 'days' },
] as const satisfies readonly (Duration & { id: string; label: string })[]

const milliseconds: Record<ShareUnit, number> = { seconds: 1000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 }

/** The largest number that can be asked for in a unit. */
export const mostOf = (unit: ShareUnit): number => Math.min(longestDuration, Math.floor(century / milliseconds[unit]))

/** When a link of that duration ends, or null when it never does. */
export function endOf({ amount, unit }: Duration, now = Date.now()): Date | null {
  if (!(amount > 0)) return null
  const end = new Date(now + amount * milliseconds[unit])
  return Number.isNaN(end.getTime()) ? null : end
}

/** Those that stay first, then by how soon they end. */
export const byExpiry = (a: { expire: number }, b: { expire: number }): number =>
  a.expire === 0 || b.expire === 0 ? (a.expire === 0 ? 0 : 1) - (b.expire === 0 ? 0 : 1) : a.expire - b.expire
