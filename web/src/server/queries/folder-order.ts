import { compareText, isSortKey, naturalKey, type Sorting, type SortKey } from '@filestead/contract'
import type { Entry } from './resources.ts'

type Sorted = Pick<Entry, 'name' | 'isDir' | 'size' | 'modified'>
type Compare = (a: Sorted, b: Sorted) => number

/**
 * The order in which the server lists a folder, to put a new entry in its place, or all of them into another order, without
 * asking for them again. `asc` has the meaning of the API: without it names run from A to Z, sizes from the largest and
 * times from the newest.
 */
export function folderOrder({ by, asc }: Sorting): Compare {
  const direction = asc ? 1 : -1
  const [keyOf, timeOf] = [madeOnce(naturalKey), madeOnce(Date.parse)]
  const byName = (a: Sorted, b: Sorted) => compareText(keyOf(a.name), keyOf(b.name)) || compareText(a.name, b.name)
  // Times have up to nine decimals, of which a Date knows three.
  const byTime = (a: Sorted, b: Sorted) =>
    timeOf(a.modified) - timeOf(b.modified) || compareText(decimalsOf(a.modified), decimalsOf(b.modified))
  const foldersFirst = (a: Sorted, b: Sorted) => Number(b.isDir) - Number(a.isDir)
  const rules: Record<SortKey, Compare> = {
    size: (a, b) => direction * (foldersFirst(a, b) || (a.isDir ? 0 : a.size - b.size)) || byName(a, b),
    modified: (a, b) => direction * byTime(a, b) || byName(a, b),
    name: (a, b) => foldersFirst(a, b) || -direction * byName(a, b),
  }
  if (isSortKey(by)) return rules[by]
  return asc ? rules.name : (a, b) => compareText(a.name, b.name)
}

/** Of a large folder, each entry is compared many times. */
function madeOnce<Made>(make: (text: string) => Made): (text: string) => Made {
  const made = new Map<string, Made>()
  return (text) => {
    const known = made.get(text) ?? make(text)
    made.set(text, known)
    return known
  }
}

const decimalsOf = (time: string): string => (/\.(\d+)/.exec(time)?.[1] ?? '').padEnd(9, '0')
