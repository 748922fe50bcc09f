import type { Sorting } from '@filestead/contract'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { showFailure } from '../../dialogs/show-failure.ts'
import { compareNames } from '../../i18n/format.ts'
import { t, useTranslation } from '../../i18n/i18n.ts'
import { knownListing } from '../../server/operations/deltas.ts'
import { folderOrder } from '../../server/queries/folder-order.ts'
import { savePreferences } from '../../server/queries/preferences.ts'
import {
  type Entry,
  type Folder,
  isFolder,
  ownOrder,
  refreshFolders,
  resourceQuery,
  toldOrder,
} from '../../server/queries/resources.ts'
import { personalItem } from '../../state/personal-storage.ts'
import { perSession, sessionSignal, sessionStore, useScope } from '../../state/session-scope.ts'
import { createStore } from '../../state/store.ts'
import type { MenuSection } from '../../ui/Menu.tsx'
import { useWorkspace, workspace } from '../../workspace/workspace.ts'
import { typeKeyOf } from '../marks/mark-of.ts'
import {
  type Column,
  columns,
  foldersFirst,
  type ShownSorting,
  shownSorting,
  sortedBy,
  sortedByType,
  sortTexts,
  wiredSorting,
} from './sorting.ts'

type TypeOrder = ShownSorting<'type'> | null

const keptTypeOrder = personalItem('type-order')

/** The server knows no order by type, so that one is kept in the browser, and lies over the order of the server. */
const typeOrder = perSession(() => {
  const kept = keptTypeOrder.read()
  const isKept = kept === 'ascending' || kept === 'descending'
  return createStore<TypeOrder>(isKept ? { by: 'type', direction: kept } : null)
})

function setTypeOrder(order: TypeOrder): void {
  typeOrder().set(order)
  if (order === null) keptTypeOrder.remove()
  else keptTypeOrder.note(order.direction)
}

/** Entries as the listing shows them: folders first, then in the order in which they were sent, or in another one. */
export function asListed({ items, sorting }: Folder, own: ShownSorting | null): readonly Entry[] {
  const sent = shownSorting(sorting)
  const { by, direction } = own ?? sent
  if (by === 'type') return sortedByType(items, direction, typeName, compareNames)
  if (by === sent.by && direction === sent.direction) return foldersFirst(items)
  return foldersFirst(items.toSorted(folderOrder(wiredSorting({ by, direction }))))
}

const typeName = (entry: Entry): string => t(typeKeyOf(entry))

/** The order of search results; null as they were found, the closest match first. */
export const resultsOrder = sessionStore<ShownSorting | null>(null)

/** The order that was chosen last, until it is saved and listed: it shows at once. */
const chosenOrder = sessionStore<ShownSorting | null>(null)

/** The order that a listing will have, whatever the server has sent it in; null for the one in which it was sent. */
export function useOwnOrder(): ShownSorting | null {
  const chosen = chosenOrder.use()
  const byType = typeOrder(useScope()).use()
  const guests = ownOrder.use()
  const told = toldOrder.use()
  const own = guests ?? told
  // Anew only with what it is made of: rows are put in order by it.
  return useMemo(() => wantedOf(chosen, byType, own), [chosen, byType, own])
}

const wantedOf = (chosen: ShownSorting | null, byType: TypeOrder, own: Sorting | null): ShownSorting | null =>
  chosen ?? byType ?? (own && shownSorting(own))

/** The entries of a folder as its listing shows them at present. */
export const presentlyListed = (folder: Folder): readonly Entry[] => asListed(folder, presentOwnOrder())

const presentOwnOrder = (): ShownSorting | null =>
  wantedOf(chosenOrder.get(), typeOrder().get(), ownOrder.get() ?? toldOrder.get())

/** The choices of "Sort", for views without column headers. */
export function useSortSections(): MenuSection[] {
  const { t } = useTranslation()
  const folder = useWorkspace((workspace) => workspace.folder)
  const isSearch = useWorkspace(({ query }) => query !== null)
  const own = useOwnOrder()
  const { data } = useQuery({ ...resourceQuery(folder), enabled: false })
  const order = resultsOrder.use()
  const present = isSearch ? order : (own ?? sortingOf(data))
  return [
    columns.map((by) => ({
      id: by,
      label: t(sortTexts[by].action),
      isChecked: present?.by === by,
      onSelect: () => void sortBy(by),
    })),
  ]
}

/** Null for a folder that is on its way. */
const sortingOf = (listing: Entry | undefined): ShownSorting | null =>
  listing !== undefined && isFolder(listing) ? shownSorting(listing.sorting) : null

/** Sorts what is listed; by the present column once more in the other direction. */
export async function sortBy(by: Column): Promise<void> {
  const { folder, query } = workspace()
  if (query !== null) return resultsOrder.set(nextOrder(resultsOrder.get(), by))
  await sortFolder(nextOrder(presentOwnOrder() ?? sortingOf(knownListing(folder)), by))
}

const nextOrder = (present: ShownSorting | null, by: Column): ShownSorting =>
  sortedBy(present ?? { by, direction: 'descending' }, by)

/** One request after the other: an earlier choice must not be saved last. */
let saving: Promise<unknown> = Promise.resolve()

/** The order is the user's, not the folder's: it is saved first, then the server lists anew what is in view by then. */
async function sortFolder(sorting: ShownSorting): Promise<void> {
  const { by, direction } = sorting
  if (by === 'type') {
    chosenOrder.set(null)
    return setTypeOrder({ by, direction })
  }
  chosenOrder.set(sorting)
  const session = sessionSignal()
  const before = typeOrder().get()
  const saved = saving.then(() => {
    session.throwIfAborted()
    return savePreferences({ sorting: wiredSorting({ by, direction }) })
  })
  saving = saved.catch(() => {})
  try {
    await saved
    await refreshFolders(workspace().folder)
    // Not before the new order is there; nor where another one by type was chosen meanwhile.
    if (!session.aborted && typeOrder().get() === before) setTypeOrder(null)
  } catch (error) {
    showFailure(error)
  } finally {
    if (!session.aborted && chosenOrder.get() === sorting) chosenOrder.set(null)
  }
}
