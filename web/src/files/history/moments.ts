import { type KeepCause, nameOf } from '@filestead/contract'
import { t } from '../../i18n/i18n.ts'
import type { Entry } from '../../server/queries/resources.ts'
import type { Moment } from '../../server/queries/timeline.ts'
import { splitName } from '../formats/names.ts'
import { formatMoment, formatTime } from './times.ts'

/** One stop of the slider and one line of the list: a state of a file, or of a folder. */
export interface Stop {
  /** Unlike that of any other stop. */
  key: string
  /** In milliseconds since 1970; what it is ordered and grouped by. */
  at: number
  isNow: boolean
  /** What made it a state of the past, or which snapshot it is. */
  text: string
  size?: number
}

/** The states of a file, the newest first. */
export const stopsOf = (moments: readonly Moment[]): Stop[] =>
  moments.map((moment, index) => ({
    key: moment.past ?? `now ${index}`,
    at: moment.at,
    isNow: moment.kind === 'now',
    text: textOf(moment),
    ...(moment.size !== undefined && { size: moment.size }),
  }))

/**
 * The states of a folder: the moments just before something in it was changed, and snapshots, whose names the timeline of
 * the folder knows.
 */
export function folderStopsOf(times: readonly number[], moments: readonly Moment[], now: number): Stop[] {
  const snapshots = moments.filter(({ kind }) => kind === 'snapshot')
  const seen = new Set<number>()
  const past = times.flatMap((at): Stop[] => {
    const snapshot = snapshots.find((each) => Math.abs(each.at - at) < 1000)
    if (seen.has(at)) return []
    seen.add(at)
    const text = snapshot === undefined ? t('history.beforeChange') : textOf(snapshot)
    return [{ key: String(at), at, isNow: false, text }]
  })
  past.sort((one, other) => other.at - one.at)
  return [{ key: 'now', at: now, isNow: true, text: t('history.now') }, ...past]
}

export interface Day {
  /** Such as 2026-11-17. */
  key: string
  stops: { stop: Stop; index: number }[]
}

/** Stops of one day of this place belong together; the order stays. */
export function byDay(stops: readonly Stop[]): Day[] {
  const days: Day[] = []
  for (const [index, stop] of stops.entries()) {
    const key = dayOf(stop.at)
    const last = days.at(-1)
    if (last?.key === key) last.stops.push({ stop, index })
    else days.push({ key, stops: [{ stop, index }] })
  }
  return days
}

function dayOf(at: number): string {
  const time = new Date(at)
  return [time.getFullYear(), time.getMonth() + 1, time.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-')
}

/** "anna uploaded over it, 14:05:10": who ended this state, and when. Beside it stands when it began. */
export function textOf({ kind, label, by, user, at, keptAt }: Moment): string {
  if (kind === 'now') return t('history.now')
  if (kind === 'snapshot') return t('history.snapshot', { name: label ?? '' })
  const cause = by ?? (kind === 'trash' ? 'remove' : 'save')
  const time = keptAt === undefined ? '' : endOf(at, keptAt)
  if (user !== undefined && time !== '') return t(ends[cause], { user: user.name, time })
  const words = t(causes[cause])
  return time === '' ? words : t('history.causeAt', { cause: words, time })
}

/** On the day on which it began the time is enough. */
const endOf = (began: number, ended: number): string =>
  dayOf(began) === dayOf(ended) ? formatTime(ended) : formatMoment(ended)

const causes = {
  remove: 'history.by.remove',
  move: 'history.by.move',
  copy: 'history.by.copy',
  upload: 'history.by.upload',
  create: 'history.by.create',
  save: 'history.by.save',
  extract: 'history.by.extract',
  restore: 'history.by.restore',
  outside: 'history.by.outside',
} as const satisfies Record<KeepCause, string>

const ends = {
  remove: 'history.ended.remove',
  move: 'history.ended.move',
  copy: 'history.ended.copy',
  upload: 'history.ended.upload',
  create: 'history.ended.create',
  save: 'history.ended.save',
  extract: 'history.ended.extract',
  restore: 'history.ended.restore',
  outside: 'history.ended.outside',
} as const satisfies Record<KeepCause, string>

/** A file of the past as a listing would tell it. What may be done with it is the server's to say. */
export const entryOf = (
  path: string,
  { isDir, size = 0, modified, type }: Pick<Moment, 'isDir' | 'size' | 'modified' | 'type'>,
): Entry => {
  const name = nameOf(path)
  const extension = splitName(name)[1]
  const fixed = { mode: 0, isSymlink: false, can: ['see', 'download'] satisfies Entry['can'] }
  return { path, name, size, extension, modified, isDir, type: type as Entry['type'], ...fixed }
}
