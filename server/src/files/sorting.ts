import type { Sorting } from '@filestead/contract'

interface Sortable {
  readonly name: string
  readonly kind: string
  readonly size: number
  readonly seconds: number
  readonly nanoseconds: number
}

/**
 * The order clients have always got, as indices. `asc` means what they made of it: names run A to Z without it, sizes and times
 * from the largest and the newest; folders lead by name, and by size in the direction in which they count as smallest.
 */
export function orderOf(entries: readonly Sortable[], { by, asc }: Sorting): number[] {
  const keys = entries.map(({ name }) => naturalKey(name))
  const order = entries.map((_, index) => index)
  const direction = asc ? 1 : -1
  // The indices are our own, so what they point at is there.
  const entry = (index: number) => entries[index] as Sortable
  const key = (index: number) => keys[index] as string

  const byName = (a: number, b: number) => compare(key(a), key(b)) || compare(entry(a).name, entry(b).name)
  const foldersFirst = (a: number, b: number) => Number(isFolder(entry(b))) - Number(isFolder(entry(a)))

  const rules: Record<string, (a: number, b: number) => number> = {
    size: (a, b) =>
      direction * (foldersFirst(a, b) || (isFolder(entry(a)) ? 0 : entry(a).size - entry(b).size)) || byName(a, b),
    modified: (a, b) =>
      direction * (entry(a).seconds - entry(b).seconds || entry(a).nanoseconds - entry(b).nanoseconds) || byName(a, b),
    name: (a, b) => foldersFirst(a, b) || -direction * byName(a, b),
  }
  const unknown = asc ? rules.name : (a: number, b: number) => compare(entry(a).name, entry(b).name)
  return order.sort(rules[by] ?? unknown)
}

const isFolder = ({ kind }: Sortable): boolean => kind === 'folder'

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const isDigit = (code: number): boolean => code >= 48 && code <= 57

/**
 * A text that sorts as people count: every run of digits is preceded by its length, so 2 comes before 10. Comparing
 * such keys is plain string comparison; Intl.Collator takes seconds for 100,000 names.
 */
export function naturalKey(name: string): string {
  const lower = name.toLowerCase()
  let key = ''
  let copied = 0
  for (let at = 0; at < lower.length; at += 1) {
    if (!isDigit(lower.charCodeAt(at))) continue
    let end = at + 1
    while (isDigit(lower.charCodeAt(end))) end += 1
    let start = at
    while (start < end - 1 && lower.charCodeAt(start) === 48) start += 1
    key += `${lower.slice(copied, at)}0${String.fromCharCode(end - start)}${lower.slice(start, end)}`
    copied = end
    at = end - 1
  }
  return copied === 0 ? lower : key + lower.slice(copied)
}
