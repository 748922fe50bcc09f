import { isSortKey, type Sorting, type SortKey } from '@filestead/contract'
import type { TextKey } from '../../i18n/i18n.ts'

/** The columns of the list, which it can be sorted by. The server knows no order by type: that one is ours. */
export const columns = ['name', 'size', 'modified', 'type'] as const
export type Column = (typeof columns)[number]

/** The texts of each column: its heading, and what a click on it does. */
export const sortTexts = {
  name: { heading: 'files.name', action: 'files.sortByName' },
  size: { heading: 'files.size', action: 'files.sortBySize' },
  modified: { heading: 'files.lastModified', action: 'files.sortByLastModified' },
  type: { heading: 'files.type', action: 'files.sortByType' },
} as const satisfies SortTexts

export type SortTexts = Record<Column, { heading: TextKey; action: TextKey }>

/** The order as it is seen. On the wire `asc` means the opposite for names, which only this file knows. */
export interface ShownSorting<By extends Column = Column> {
  by: By
  direction: 'ascending' | 'descending'
}

export function shownSorting({ by, asc }: Sorting): ShownSorting<SortKey> {
  const key = isSortKey(by) ? by : 'name'
  return { by: key, direction: (key === 'name') !== asc ? 'ascending' : 'descending' }
}

export const wiredSorting = ({ by, direction }: ShownSorting<SortKey>): Sorting => ({
  by,
  asc: (direction === 'ascending') !== (by === 'name'),
})

/** A click on a column: the present one is reversed, another one starts ascending. */
export const sortedBy = <By extends Column>(present: ShownSorting, by: By): ShownSorting<By> => ({
  by,
  direction: present.by === by && present.direction === 'ascending' ? 'descending' : 'ascending',
})

/**
 * Files by the name of their type, those of one type in the order that they had. Types are few: a folder of 100,000
 * files is sorted in one pass.
 */
export function sortedByType<E extends { isDir: boolean }>(
  entries: readonly E[],
  direction: ShownSorting['direction'],
  typeOf: (entry: E) => string,
  compare: (a: string, b: string) => number,
): readonly E[] {
  const groups = Map.groupBy(entries, (entry) => (entry.isDir ? '' : typeOf(entry)))
  const folders = groups.get('') ?? []
  groups.delete('')
  const order = [...groups].toSorted(([a], [b]) => compare(a, b))
  if (direction === 'descending') order.reverse()
  return [...folders, ...order.flatMap(([, files]) => files)]
}

/** Folders before files, each in the order the server gave: by date it mixes them. */
export function foldersFirst<E extends { isDir: boolean }>(entries: readonly E[]): readonly E[] {
  const firstFile = entries.findIndex(({ isDir }) => !isDir)
  const isGrouped = firstFile === -1 || !entries.some(({ isDir }, index) => isDir && index > firstFile)
  if (isGrouped) return entries
  return [...entries.filter(({ isDir }) => isDir), ...entries.filter(({ isDir }) => !isDir)]
}
