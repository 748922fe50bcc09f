import { currentTag, t } from '../../i18n/i18n.ts'

const oneDay = 86_400_000

/** Today, yesterday, or the day with its weekday. */
export function formatDate(at: number, now = Date.now()): string {
  const [day, today] = [midnight(at), midnight(now)]
  if (day === today) return t('history.today')
  // Days of 23 and 25 hours are days, too.
  if (Math.round((today - day) / oneDay) === 1) return t('history.yesterday')
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear()
  return format(at, {
    weekday: 'short',
    day: 'numeric',
    month: 'long',
    ...(!isThisYear && { year: 'numeric' }),
  })
}

/** With seconds: versions may follow each other within a minute. */
export const formatTime = (at: number): string => format(at, { hour: 'numeric', minute: '2-digit', second: '2-digit' })

/** The day and the time, in one sentence with others. */
export const formatMoment = (at: number): string =>
  format(at, { day: 'numeric', month: 'short', year: 'numeric', hour: 'numeric', minute: '2-digit', second: '2-digit' })

/** For names of files: without characters that systems do not take, and in the order of time. */
export function stampOf(at: number): string {
  const time = new Date(at)
  const two = (part: number) => String(part).padStart(2, '0')
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-')
  return `${day} ${two(time.getHours())}.${two(time.getMinutes())}`
}

const midnight = (at: number): number => new Date(at).setHours(0, 0, 0, 0)

const format = (at: number, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(currentTag(), options).format(at)
