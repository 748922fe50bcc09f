import { deadline } from '../concurrency/deadline.ts'

/** What was found in a row of states, of which not all were looked at. */
export interface LookedThrough<T> {
  /** By their index; null where there was nothing. */
  readonly found: ReadonlyMap<number, T | null>
  /** Some that may differ from their neighbours were not looked at. */
  readonly isCut: boolean
}

export interface LookOptions<T> {
  /** Where both ends of a stretch are so alike that all between them is, too. */
  isUnbroken(one: T, other: T): boolean
  readonly mostLooks: number
  readonly atOnce: number
  /** In milliseconds, for all together: one that hangs ends the looking. */
  readonly longest: number
}

/**
 * Finds where a row of states changes, with few looks: both ends first, then the middles of the longest stretches whose ends
 * differ. A stretch with nothing at both ends may hold something, and is looked through as well.
 */
export async function lookThrough<T>(
  count: number,
  look: (index: number) => Promise<T | null>,
  { isUnbroken, mostLooks, atOnce, longest }: LookOptions<T>,
): Promise<LookedThrough<T>> {
  const found = new Map<number, T | null>()
  const end = performance.now() + longest
  const isOpen = (from: number, to: number): boolean => {
    const [one, other] = [found.get(from) ?? null, found.get(to) ?? null]
    return to - from > 1 && (one === null || other === null || !isUnbroken(one, other))
  }
  const isEmpty = (from: number, to: number): boolean => (found.get(from) ?? found.get(to) ?? null) === null
  const openStretches = (): [number, number][] => {
    const looked = [...found.keys()].sort((one, two) => one - two)
    return looked.flatMap((from, at): [number, number][] => {
      const to = looked[at + 1]
      return to !== undefined && isOpen(from, to) ? [[from, to]] : []
    })
  }
  let next = [...new Set([0, count - 1])].filter((index) => index >= 0 && index < count)
  while (next.length > 0) {
    const states = deadline(Promise.all(next.map(look)), Math.max(0, end - performance.now()), undefined)
    const looked = await states
    if (looked === undefined) return { found, isCut: true }
    for (const [at, index] of next.entries()) found.set(index, looked[at] ?? null)
    const stretches = openStretches().sort(([from, to], [start, last]) => last - start - (to - from))
    if (stretches.length > 0 && (found.size >= mostLooks || performance.now() >= end)) return { found, isCut: true }
    const room = Math.min(atOnce, mostLooks - found.size)
    // Where something is known to change it is found for sure; in a stretch without anything there may be nothing.
    const changing = stretches.filter(([from, to]) => !isEmpty(from, to))
    next = (changing.length > 0 ? changing : stretches).slice(0, room).map(([from, to]) => Math.floor((from + to) / 2))
  }
  return { found, isCut: false }
}
