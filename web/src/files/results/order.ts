import { nameOf } from '@filestead/contract'
import { compareNames } from '../../i18n/format.ts'
import { t } from '../../i18n/i18n.ts'
import type { FoundEntry } from '../../server/queries/search.ts'
import type { ShownSorting } from '../grid/sorting.ts'
import { typeKeyOf } from '../marks/mark-of.ts'

/** Results by name, size, time or type; without an order as they came, the closest match first. */
export function inOrder(found: readonly FoundEntry[], order: ShownSorting | null): readonly FoundEntry[] {
  if (order === null) return found
  const direction = order.direction === 'ascending' ? 1 : -1
  // What is compared is made once for each: there may be ten thousand.
  const keyed = found.map((entry) => ({ entry, name: nameOf(entry.path), time: Date.parse(entry.modified) }))
  const byName = (a: Keyed, b: Keyed) => compareNames(a.name, b.name) || compareNames(a.entry.path, b.entry.path)
  const rules: Record<ShownSorting['by'], (a: Keyed, b: Keyed) => number> = {
    name: (a, b) => direction * byName(a, b),
    size: (a, b) => direction * (a.entry.size - b.entry.size) || byName(a, b),
    type: (a, b) => direction * compareNames(t(typeKeyOf(a.entry)), t(typeKeyOf(b.entry))) || byName(a, b),
    modified: (a, b) => direction * (a.time - b.time) || byName(a, b),
  }
  return keyed.sort(rules[order.by]).map(({ entry }) => entry)
}

interface Keyed {
  entry: FoundEntry
  name: string
  time: number
}
