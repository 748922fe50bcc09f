import { extensionOf, type KeptItem, nameOf } from '@filestead/contract'
import type { Entry } from '../../server/queries/resources.ts'
import { inOrder } from '../grid/entry-order.ts'
import type { ShownSorting } from '../grid/sorting.ts'

/** An item of the trash as the grid shows entries. Its time is when it was deleted. */
export interface TrashEntry extends Entry {
  item: KeptItem
}

/** Several items may have had one path: the id is part of the name, as a folder would be. */
export const trashEntry = (item: KeptItem): TrashEntry => ({
  path: item.path,
  name: `${item.id}/${item.name}`,
  size: item.size ?? 0,
  extension: item.isDir ? '' : extensionOf(item.name),
  modified: new Date(item.keptAt).toISOString(),
  mode: 0,
  isDir: item.isDir,
  isSymlink: false,
  type: item.type as Entry['type'],
  item,
})

/** Files and folders together: what was deleted last stands first, whatever it is. */
export const trashOrder: ShownSorting = { by: 'modified', direction: 'descending' }

export function shownItems(items: readonly KeptItem[], order: ShownSorting): readonly TrashEntry[] {
  return inOrder(items.map(trashEntry), order)
}

/** So long before its end an item says when that is, in milliseconds. */
const near = 7 * 24 * 60 * 60 * 1000

export const isEndNear = ({ endsAt }: KeptItem, now = Date.now()): boolean =>
  endsAt !== undefined && endsAt - now < near

export const labelOf = ({ name }: Pick<Entry, 'name'>): string => nameOf(`/${name}`)
