import { type MountHistory, undoFor } from '@filestead/contract'
import { type Dated, thinned } from './thinning.ts'

/** A kept thing as far as it matters to how long it stays. */
export interface Retained extends Dated {
  /** In bytes; what is not measured counts nothing. */
  readonly size: number | undefined
  /** Where it was: versions of one file are thinned out together. */
  readonly location: string
}

/** In bytes: how large the disk is, and how much of it is free. */
export interface Space {
  readonly total: number
  readonly free: number
}

interface Facts {
  readonly history: Pick<MountHistory, 'trashDays' | 'trashShare' | 'versionDays' | 'versionShare'>
  /** Undefined where the disk does not tell. */
  readonly space: Space | undefined
  /** In milliseconds since 1970. */
  readonly now: number
}

const day = 86_400_000
/** With less than this part of a disk free, its trash gives way at once. */
const nearlyFull = 0.05
/** What says that it was kept before has the time of a clock that was not set yet: how old it is is not known. */
const leastTime = Date.UTC(2020, 0)

/** What goes out of the trash: what is too old, then the oldest until the rest fits into its share of the disk. */
export function endedTrash(items: readonly Retained[], { history, space, now }: Facts): string[] {
  const tooOld = olderThan(items, history.trashDays, now)
  const limit = space === undefined || space.total === 0 ? undefined : (space.total * history.trashShare) / 100
  return [...tooOld, ...beyond(without(items, tooOld), limit, { space, now })].map(({ id }) => id)
}

/**
 * The same for versions, which are thinned out besides, once no operation of the last day may need them. Their share is one of
 * what is free, as if they were not there.
 */
export function endedVersions(items: readonly Retained[], { history, space, now }: Facts): string[] {
  const tooOld = olderThan(items, history.versionDays, now)
  const rest = without(items, tooOld)
  const thin = new Set([...byLocation(rest).values()].flatMap((versions) => thinned(versions, now)))
  const thinnedOut = rest.filter((item) => thin.has(item.id) && (isNearlyFull(space) || !isNeeded(item, now)))
  const left = without(rest, thinnedOut)
  const used = left.reduce((sum, { size = 0 }) => sum + size, 0)
  const limit =
    space === undefined || space.total === 0 ? undefined : ((space.free + used) * history.versionShare) / 100
  return [...tooOld, ...thinnedOut, ...beyond(left, limit, { space, now })].map(({ id }) => id)
}

const olderThan = (items: readonly Retained[], days: number, now: number): Retained[] =>
  days === 0
    ? []
    : items.filter(({ keptAt }) => keptAt >= leastTime && now - Math.min(keptAt, now) > Math.max(days * day, undoFor))

/** An operation of the last day may need it to be taken back. */
export const isNeeded = ({ keptAt }: Dated, now: number): boolean => now - keptAt < undoFor

const isNearlyFull = (space: Space | undefined): boolean =>
  space !== undefined && space.total > 0 && space.free < space.total * nearlyFull

/**
 * The oldest, until what is left is no more than the limit. What can still be taken back stays, unless the disk is nearly
 * full: one large removal must neither end itself at once nor what others have removed a moment ago.
 */
function beyond(
  items: readonly Retained[],
  limit: number | undefined,
  { space, now }: Pick<Facts, 'space' | 'now'>,
): Retained[] {
  if (limit === undefined) return []
  let used = items.reduce((sum, { size = 0 }) => sum + size, 0)
  const gone: Retained[] = []
  for (const item of items.toSorted((one, two) => one.keptAt - two.keptAt)) {
    if (used <= limit) break
    // What has no size makes no room.
    if ((item.size ?? 0) === 0 || (isNeeded(item, now) && !isNearlyFull(space))) continue
    used -= item.size ?? 0
    gone.push(item)
  }
  return gone
}

function without(items: readonly Retained[], gone: readonly Retained[]): Retained[] {
  const ids = new Set(gone.map(({ id }) => id))
  return items.filter(({ id }) => !ids.has(id))
}

function byLocation(items: readonly Retained[]): Map<string, Retained[]> {
  const found = new Map<string, Retained[]>()
  for (const item of items) {
    const others = found.get(item.location)
    if (others === undefined) found.set(item.location, [item])
    else others.push(item)
  }
  return found
}
