import { compareText, isSortKey, naturalKey, type Sorting, type SortKey } from '@filestead/contract'
import type { Entry } from './resources.ts'

type Sorted = Pick<Entry, 'name' | 'isDir' | 'size' | 'modified'>
type Compare = (a: Sorted, b: Sorted) => number

/**
 * The order in which the server lists a folder, to put a new entry in its place without asking for all of them again.
 * `asc` has the meaning of the API: without it names run from A to Z, sizes from the largest and times from the newest.
 */
export function folderOrder({ by, asc }: Sorting): Compare {
  const direction = asc ? 1 : -1
  const byName = (a: Sorted, b: Sorted) =>
    compareText(naturalKey(a.name), naturalKey(b.name)) || compareText(a.name, b.name)
  const foldersFirst = (a: Sorted, b: Sorted) => Number(b.isDir) - Number(a.isDir)
  const rules: Record<SortKey, Compare> = {
    size: (a, b) => direction * (foldersFirst(a, b) || (a.isDir ? 0 : a.size - b.size)) || byName(a, b),
    modified: (a, b) => direction * compareTimes(a.modified, b.modified) || byName(a, b),
    name: (a, b) => foldersFirst(a, b) || -direction * byName(a, b),
  }
  if (isSortKey(by)) return rules[by]
  return asc ? rules.name : (a, b) => compareText(a.name, b.name)
}

/** Times have up to nine decimals, of which a Date knows three. */
const compareTimes = (a: string, b: string): number =>
  Date.parse(a) - Date.parse(b) || compareText(decimalsOf(a), decimalsOf(b))

const decimalsOf = (time: string): string => (/\.(\d+)/.exec(time)?.[1] ?? '').padEnd(9, '0')
