/** A version as far as it matters to which of them stay. Times are in milliseconds since 1970. */
export interface Dated {
  readonly id: string
  readonly keptAt: number
}

const second = 1000
const [minute, hour, day] = [60 * second, 3600 * second, 86_400 * second]

/** Up to this age one version stays of each so long a time. */
const steps: readonly { readonly upTo: number; readonly every: number }[] = [
  { upTo: 10 * second, every: 2 * second },
  { upTo: minute, every: 10 * second },
  { upTo: hour, every: minute },
  { upTo: day, every: hour },
  { upTo: 30 * day, every: day },
  { upTo: Number.POSITIVE_INFINITY, every: 7 * day },
]

/**
 * Which versions of one file go, so that the older they are the fewer there are. Counted from the newest one on: each that is
 * closer to the last that stays than its age allows goes. The newest always stays, and a time in the future counts as now.
 */
export function thinned(versions: readonly Dated[], now: number): string[] {
  const [newest, ...older] = versions.toSorted((one, two) => two.keptAt - one.keptAt)
  if (newest === undefined) return []
  const gone: string[] = []
  let last = Math.min(newest.keptAt, now)
  for (const { id, keptAt } of older) {
    const at = Math.min(keptAt, now)
    if (last - at < distanceAt(now - at)) gone.push(id)
    else last = at
  }
  return gone
}

const distanceAt = (age: number): number => steps.find(({ upTo }) => age <= upTo)?.every ?? 0
