import { formatRoughSize } from '../../i18n/format.ts'
import { currentTag, t } from '../../i18n/i18n.ts'

/** Bytes per second: measured every second, averaged over five measurements, and smoothed so that it can be read. */
export interface Speedometer {
  /** Takes how many bytes have been sent in all, once a second. */
  measure(sent: number): void
  /** Bytes per second. */
  speed(): number
}

const measurements = 5
const weightOfNew = 0.2

export function speedometer(): Speedometer {
  let last: number | null = null
  let recent: number[] = []
  let speed: number | null = null
  return {
    measure(sent) {
      // The first measurement only says where counting begins. What is sent again after a cut is no speed below zero.
      if (last !== null) {
        recent = [...recent, Math.max(0, sent - last)].slice(-measurements)
        const average = recent.reduce((sum, bytes) => sum + bytes, 0) / recent.length
        speed = speed === null ? average : weightOfNew * average + (1 - weightOfNew) * speed
      }
      last = sent
    },
    speed: () => speed ?? 0,
  }
}

/** Seconds until the rest is there, or null when nothing moves. */
export const secondsLeft = (rest: number, speed: number): number | null =>
  speed < 1 ? null : Math.ceil(Math.max(0, rest) / speed)

/** 770 KiB/s, in the units of sizes. Three digits: it changes every second. */
export const formatSpeed = (speed: number): string => t('units.perSecond', { amount: formatRoughSize(speed) })

/** How long something will still take, in one unit or two: 6 sec, 2 min, 1 hr 5 min. */
export function formatDuration(seconds: number): string {
  const say = (amount: number, unit: string) =>
    new Intl.NumberFormat(currentTag(), { style: 'unit', unit, unitDisplay: 'short' }).format(amount)
  // Above twenty seconds in steps of five, so that it can be read.
  if (seconds < 60) return say(seconds > 20 ? Math.ceil(seconds / 5) * 5 : Math.ceil(seconds), 'second')
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return say(minutes, 'minute')
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return rest === 0 || hours > 9 ? say(hours, 'hour') : `${say(hours, 'hour')} ${say(rest, 'minute')}`
}
