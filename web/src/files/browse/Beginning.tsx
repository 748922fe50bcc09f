import type { Sorting } from '@filestead/contract'
import { useMemo, useState } from 'react'
import { folderOrder } from '../../server/queries/folder-order.ts'
import { type Entry, listingBeginning } from '../../server/queries/resources.ts'
import { useUser } from '../../server/session.ts'
import { only } from '../../workspace/selection.ts'
import { FileGrid } from '../grid/FileGrid.tsx'
import type { ViewMode } from '../grid/layout.ts'
import { shownSorting } from '../grid/sorting.ts'
import { folderMemory } from './folder-memory.ts'
import { useDensity, useHiddenColumns, viewModeOf } from './view-options.ts'

interface ListingBeginning {
  entries: readonly Entry[]
  sorting: Sorting
  viewMode: ViewMode
}

/**
 * The first entries of a large folder that is being read; null unless the whole folder will begin with the same rows. By
 * size or date its folders may still come, a gallery asks for the shapes of its pictures, and a folder that was seen
 * before is scrolled to where it was left.
 */
export function useBeginning(path: string, isServersOrder: boolean): ListingBeginning | null {
  const viewMode = viewModeOf(useUser().viewMode)
  const [memory] = useState(folderMemory)
  const entries = listingBeginning.use((beginning) => (beginning?.path === path ? beginning.items : null))
  return useMemo(() => {
    if (entries === null || !isServersOrder || viewMode === 'mosaic gallery' || memory.recall(path) !== null)
      return null
    const sorting = [false, true].map((asc) => ({ by: 'name', asc })).find((sorting) => isInOrder(entries, sorting))
    return sorting === undefined ? null : { entries, sorting, viewMode }
  }, [path, entries, isServersOrder, viewMode, memory])
}

function isInOrder(entries: readonly Entry[], sorting: Sorting): boolean {
  const compare = folderOrder(sorting)
  return entries.every((entry, at) => at === 0 || compare(entries[at - 1] as Entry, entry) <= 0)
}

const nothing = only()
const ignore = () => {}

/** To look at while the other rows are on their way: nothing can be done with a part of a folder. */
export function Beginning({ label, entries, sorting, viewMode }: ListingBeginning & { label: string }) {
  const { dateFormat } = useUser()
  const density = useDensity()
  const hiddenColumns = useHiddenColumns()
  return (
    <div aria-hidden="true" inert style={{ display: 'contents' }}>
      <FileGrid
        label={label}
        entries={entries}
        viewMode={viewMode}
        isBeginning
        density={density}
        hiddenColumns={hiddenColumns}
        hasExactDates={dateFormat}
        sorting={shownSorting(sorting)}
        selection={nothing}
        onSelect={ignore}
        onOpen={ignore}
        onSort={ignore}
      />
    </div>
  )
}
