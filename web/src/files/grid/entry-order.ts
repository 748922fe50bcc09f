import { nameOf } from '@filestead/contract'
import { compareNames } from '../../i18n/format.ts'
import { t } from '../../i18n/i18n.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { typeKeyOf } from '../marks/mark-of.ts'
import type { ShownSorting } from './sorting.ts'

/** Entries by name, size, time or type; without an order as they came. */
export function inOrder<E extends Sortable>(entries: readonly E[], order: ShownSorting | null): readonly E[] {
  if (order === null) return entries
  const direction = order.direction === 'ascending' ? 1 : -1
  // What is compared is made once for each: there may be ten thousand.
  const keyed = entries.map((entry) => ({ entry, name: nameOf(entry.path), time: Date.parse(entry.modified) }))
  const byName = (a: Keyed<E>, b: Keyed<E>) => compareNames(a.name, b.name) || compareNames(a.entry.path, b.entry.path)
  const rules: Record<ShownSorting['by'], (a: Keyed<E>, b: Keyed<E>) => number> = {
    name: (a, b) => direction * byName(a, b),
    size: (a, b) => direction * (a.entry.size - b.entry.size) || byName(a, b),
    type: (a, b) => direction * compareNames(t(typeKeyOf(a.entry)), t(typeKeyOf(b.entry))) || byName(a, b),
    modified: (a, b) => direction * (a.time - b.time) || byName(a, b),
  }
  return keyed.sort(rules[order.by]).map(({ entry }) => entry)
}

type Sortable = Pick<Entry, 'path' | 'name' | 'size' | 'modified' | 'type' | 'isDir'>

interface Keyed<E> {
  entry: E
  name: string
  time: number
}
