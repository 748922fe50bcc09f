const quarter = 900

/** In seconds: the runtime knows no dates beyond. File systems and archives do; those are told as the first or last of these. */
const outermost = 8.64e12 - 86_400

const withinDates = (seconds: number): number => Math.max(-outermost, Math.min(outermost, seconds))

interface QuarterHour {
  /** '2026-11-15T03:' */
  prefix: string
  /** Seconds from the beginning of that hour to the beginning of the quarter. */
  offset: number
  zone: string
}

// Cache: no time zone changes its offset within a quarter of an hour, so one computation serves all times in it.
const quarterHours = new Map<number, QuarterHour>()

/** RFC 3339 in the server's zone, to the nanosecond and without trailing zeros. Listings need 100,000 of them. */
export function formatTime(time: number, nanoseconds: number): string {
  const seconds = withinDates(time)
  const index = Math.floor(seconds / quarter)
  let quarterHour = quarterHours.get(index)
  if (quarterHour === undefined) {
    if (quarterHours.size > 10_000) quarterHours.clear()
    quarterHour = quarterHourAt(index * quarter)
    quarterHours.set(index, quarterHour)
  }
  const inHour = quarterHour.offset + (seconds - index * quarter)
  return `${quarterHour.prefix}${twoDigits(Math.floor(inHour / 60))}:${twoDigits(inHour % 60)}${fraction(nanoseconds)}${quarterHour.zone}`
}

/** In UTC, to the millisecond. */
export const isoTime = (milliseconds: number): string => new Date(withinDates(milliseconds / 1000) * 1000).toISOString()

function quarterHourAt(seconds: number): QuarterHour {
  const date = new Date(seconds * 1000)
  const ahead = -date.getTimezoneOffset()
  const local = new Date((seconds + ahead * 60) * 1000).toISOString()
  const zone = `${ahead < 0 ? '-' : '+'}${twoDigits(Math.floor(Math.abs(ahead) / 60))}:${twoDigits(Math.abs(ahead) % 60)}`
  return {
    prefix: local.slice(0, local.indexOf('T') + 4),
    offset: Number(local.slice(-10, -8)) * 60 + Number(local.slice(-7, -5)),
    zone: ahead === 0 ? 'Z' : zone,
  }
}

const twoDigits = (value: number): string => (value < 10 ? `0${value}` : String(value))

function fraction(nanoseconds: number): string {
  if (nanoseconds === 0) return ''
  const digits = String(1_000_000_000 + nanoseconds)
  let end = digits.length
  while (digits.charCodeAt(end - 1) === 48) end -= 1
  return `.${digits.slice(1, end)}`
}
