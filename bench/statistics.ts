import type { Cell } from './rounds.ts'

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? Number.NaN
  return Number.isInteger(middle) ? (upper + (sorted[middle - 1] ?? Number.NaN)) / 2 : upper
}

/** The median of the rounds' ratios, not the ratio of the medians: the two sides of one round met the same noise. */
export function ratioOf({ samples, references }: Pick<Cell, 'samples' | 'references'>): number {
  return median(samples.map((sample, round) => sample / (references[round] ?? Number.NaN)))
}
