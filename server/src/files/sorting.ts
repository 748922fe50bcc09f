import { compareText as compare, isSortKey, naturalKey, type Sorting, type SortKey } from '@filestead/contract'
import type { Cancellation } from '../concurrency/cancellation.ts'
import { timeSlices } from '../concurrency/time-slices.ts'

interface Sortable {
  readonly name: string
  readonly kind: string
  readonly size: number
  readonly seconds: number
  readonly nanoseconds: number
}

/**
 * The order as indices. `asc` has the meaning that clients rely on: without it names run from A to Z, sizes from the
 * largest and times from the newest. Folders come first by name; by size they count as the smallest.
 */
export function orderOf(entries: readonly Sortable[], sorting: Sorting): number[] {
  const keys = entries.map(({ name }) => naturalKey(name))
  return entries.map((_, index) => index).sort(comparer(entries, keys, sorting))
}

/** Larger folders are sorted in runs of this length, which are merged. */
const longestRun = 4096

/** The same for a folder of any size, with pauses for the event loop. */
export async function orderWithPauses(
  entries: readonly Sortable[],
  sorting: Sorting,
  signal?: Cancellation,
): Promise<number[]> {
  if (entries.length <= longestRun) return orderOf(entries, sorting)
  const pause = timeSlices(signal)
  const keys: string[] = []
  for (const { name } of entries) {
    keys.push(naturalKey(name))
    const rest = pause()
    if (rest !== undefined) await rest
  }
  const compare = comparer(entries, keys, sorting)
  let runs: number[][] = []
  for (let start = 0; start < entries.length; start += longestRun) {
    const length = Math.min(longestRun, entries.length - start)
    runs.push(Array.from({ length }, (_, index) => start + index).sort(compare))
    const rest = pause()
    if (rest !== undefined) await rest
  }
  while (runs.length > 1) {
    const merged: number[][] = []
    for (let at = 0; at < runs.length; at += 2)
      merged.push(await mergedOf(runs[at] as number[], runs[at + 1] ?? [], compare, pause))
    runs = merged
  }
  return runs[0] as number[]
}

type Compare = (a: number, b: number) => number

async function mergedOf(
  one: readonly number[],
  two: readonly number[],
  compare: Compare,
  pause: () => Promise<void> | undefined,
): Promise<number[]> {
  const merged: number[] = []
  for (let [a, b] = [0, 0]; a < one.length || b < two.length; ) {
    const [left, right] = [one[a], two[b]]
    if (right === undefined || (left !== undefined && compare(left, right) <= 0)) {
      merged.push(left as number)
      a += 1
    } else {
      merged.push(right)
      b += 1
    }
    const rest = merged.length % 1024 === 0 ? pause() : undefined
    if (rest !== undefined) await rest
  }
  return merged
}

function comparer(entries: readonly Sortable[], keys: readonly string[], { by, asc }: Sorting): Compare {
  const direction = asc ? 1 : -1
  // All indices are those of entries.
  const entry = (index: number) => entries[index] as Sortable
  const key = (index: number) => keys[index] as string

  const byName = (a: number, b: number) => compare(key(a), key(b)) || compare(entry(a).name, entry(b).name)
  const foldersFirst = (a: number, b: number) => Number(isFolder(entry(b))) - Number(isFolder(entry(a)))

  const rules: Record<SortKey, Compare> = {
    size: (a, b) =>
      direction * (foldersFirst(a, b) || (isFolder(entry(a)) ? 0 : entry(a).size - entry(b).size)) || byName(a, b),
    modified: (a, b) =>
      direction * (entry(a).seconds - entry(b).seconds || entry(a).nanoseconds - entry(b).nanoseconds) || byName(a, b),
    name: (a, b) => foldersFirst(a, b) || -direction * byName(a, b),
  }
  if (isSortKey(by)) return rules[by]
  return asc ? rules.name : (a, b) => compare(entry(a).name, entry(b).name)
}

const isFolder = ({ kind }: Sortable): boolean => kind === 'folder'
