import { isSortKey, type Sorting, type SortKey } from '@filestead/contract'

/** The texts of each key: the heading of its column, and what a click on it does. */
export const sortTexts = {
  name: { heading: 'files.name', action: 'files.sortByName' },
  size: { heading: 'files.size', action: 'files.sortBySize' },
  modified: { heading: 'files.lastModified', action: 'files.sortByLastModified' },
} as const satisfies Record<SortKey, { heading: string; action: string }>

/** The order as it is seen. On the wire `asc` means the opposite for names, which only this file knows. */
export interface ShownSorting {
  by: SortKey
  direction: 'ascending' | 'descending'
}

export function shownSorting({ by, asc }: Sorting): ShownSorting {
  const key = isSortKey(by) ? by : 'name'
  return { by: key, direction: (key === 'name') !== asc ? 'ascending' : 'descending' }
}

export const wiredSorting = ({ by, direction }: ShownSorting): Sorting => ({
  by,
  asc: (direction === 'ascending') !== (by === 'name'),
})

/** A click on a column: the present one is reversed, another one starts ascending. */
export const sortedBy = (present: ShownSorting, by: SortKey): ShownSorting => ({
  by,
  direction: present.by === by && present.direction === 'ascending' ? 'descending' : 'ascending',
})

/** Folders before files, each in the order the server gave: by date it mixes them. */
export function foldersFirst<E extends { isDir: boolean }>(entries: readonly E[]): readonly E[] {
  const firstFile = entries.findIndex(({ isDir }) => !isDir)
  const isGrouped = firstFile === -1 || !entries.some(({ isDir }, index) => isDir && index > firstFile)
  if (isGrouped) return entries
  return [...entries.filter(({ isDir }) => isDir), ...entries.filter(({ isDir }) => !isDir)]
}
