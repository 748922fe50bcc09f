/** Equal factors are equal distances. */
export function logScale([low, high]: readonly [number, number], [from, to]: readonly [number, number]) {
  const span = Math.log(high / low) || 1
  return (value: number): number => from + (Math.log(value / low) / span) * (to - from)
}

/** A little more than from the smallest to the largest value, so that no mark touches a border. */
export function rangeAround(values: readonly number[]): [number, number] {
  const known = values.filter((value) => value > 0 && Number.isFinite(value))
  return known.length > 0 ? [Math.min(...known) / 1.3, Math.max(...known) * 1.3] : [1, 10]
}

/** Plain values in a range: powers of ten, and where those are few, twice and five times as much as well. */
export function ticksWithin([low, high]: readonly [number, number]): number[] {
  const first = Math.floor(Math.log10(low))
  const powers = Array.from({ length: Math.ceil(Math.log10(high)) - first + 1 }, (_, index) => first + index)
  const isWithin = (tick: number) => tick >= low && tick <= high
  const decades = powers.map((power) => Number(`1e${power}`)).filter(isWithin)
  if (decades.length > 2) return decades
  return powers.flatMap((power) => [1, 2, 5].map((step) => Number(`${step}e${power}`))).filter(isWithin)
}

/** So few of the ticks that their labels keep the distance; the first and the last of those that are kept fit too. */
export function thinOut(ticks: readonly number[], position: (tick: number) => number, distance: number): number[] {
  const kept: number[] = []
  for (const tick of ticks) {
    const before = kept.at(-1)
    if (before === undefined || Math.abs(position(tick) - position(before)) >= distance) kept.push(tick)
  }
  return kept
}
