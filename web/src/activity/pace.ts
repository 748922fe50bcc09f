import { formatRoughSize } from '../i18n/format.ts'
import { currentTag, t } from '../i18n/i18n.ts'

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
