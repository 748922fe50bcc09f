import type { Entry } from './entry.ts'

/** Two files of the same size and time. */
export const isAlike = (one: Entry, two: Entry): boolean =>
  one.kind === 'file' && two.kind === 'file' && one.size === two.size && isSameTime(one, two)

/** As exactly as the one that tells it less exactly. */
const isSameTime = (one: Entry, two: Entry): boolean =>
  hasWholeSeconds(one, two) ? one.seconds === two.seconds : timeOf(one) === timeOf(two)

/** Some servers tell no more. */
export const hasWholeSeconds = (one: Entry, two: Entry): boolean => one.nanoseconds === 0 || two.nanoseconds === 0

/** In milliseconds since 1970. */
export const timeOf = ({ seconds, nanoseconds }: Pick<Entry, 'seconds' | 'nanoseconds'>): number =>
  seconds * 1000 + Math.floor(nanoseconds / 1_000_000)
