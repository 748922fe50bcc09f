import { useMemo, useState } from 'react'
import { type Entry, listingBeginning } from '../../server/queries/resources.ts'
import { useUser } from '../../server/session.ts'
import { only } from '../../workspace/selection.ts'
import { FileGrid } from '../grid/FileGrid.tsx'
import type { ViewMode } from '../grid/layout.ts'
import { type ShownSorting, shownSorting } from '../grid/sorting.ts'
import { folderMemory } from './folder-memory.ts'
import { useDensity, useHiddenColumns, viewModeOf } from './view-options.ts'

interface ShownBeginning {
  entries: readonly Entry[]
  sorting: ShownSorting
  viewMode: ViewMode
}

/**
 * The first entries of a large folder that is being read; null unless the whole folder will begin with the same rows. By
 * size or date its folders may still come, a gallery asks for the shapes of its pictures, a folder that was seen before is
 * scrolled to where it was left, and another order may be wanted than the one of the server.
 */
export function useBeginning(path: string, own: ShownSorting | null): ShownBeginning | null {
  const viewMode = viewModeOf(useUser().viewMode)
  const [memory] = useState(folderMemory)
  const beginning = listingBeginning.use((beginning) => (beginning?.path === path ? beginning : null))
  return useMemo(() => {
    if (beginning?.sorting?.by !== 'name') return null
    const sorting = shownSorting(beginning.sorting)
    if (own !== null && (own.by !== 'name' || own.direction !== sorting.direction)) return null
    if (viewMode === 'mosaic gallery' || memory.recall(path) !== null) return null
    return { entries: beginning.items, sorting, viewMode }
  }, [path, beginning, own, viewMode, memory])
}

const nothing = only()
const ignore = () => {}

/** To look at while the other rows are on their way: nothing can be done with a part of a folder. */
export function Beginning({ label, entries, sorting, viewMode }: ShownBeginning & { label: string }) {
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
        sorting={sorting}
        selection={nothing}
        onSelect={ignore}
        onOpen={ignore}
        onSort={ignore}
      />
    </div>
  )
}
