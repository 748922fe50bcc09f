import { useCallback, useMemo, useState } from 'react'
import type { Entry } from '../../api/resources.ts'
import { previewUrl } from '../../api/resources.ts'
import { can, useUser } from '../../api/session.ts'
import { startSettings } from '../../api/start-settings.ts'
import { t } from '../../i18n/i18n.ts'
import { addressOf } from '../../navigation/addresses.ts'
import { isRevisiting, navigate } from '../../navigation/location.ts'
import { clipboard } from '../../place/clipboard.ts'
import { currentPlace, select, usePlace } from '../../place/place.ts'
import { only } from '../../place/selection.ts'
import { useMedia } from '../../ui/media.ts'
import { openInNewTab } from './actions.ts'
import { useDensity } from './density.ts'
import { folderMemory } from './folder-memory.ts'
import { followFocus, isFocusFollowing } from './follow-focus.ts'
import type { DragPlace } from './grid/drag.ts'
import { FileGrid, type Point, type Reveal } from './grid/FileGrid.tsx'
import { type ShownSorting, type SortKey, sortedBy } from './grid/sorting.ts'
import { sortFolder } from './sort-folder.ts'
import { viewModeOf } from './view-mode.ts'

interface FolderGridProps {
  path: string
  label: string
  entries: readonly Entry[]
  sorting: ShownSorting
  reveal: Reveal | null
  onMenu: (entry: Entry | null, at: Point) => void
}

/** The grid of the folder in view, connected to the place, the user's preferences and the actions. */
export function FolderGrid({ path, label, entries, sorting: listed, reveal, onMenu }: FolderGridProps) {
  const user = useUser()
  const place = usePlace()
  const clipped = clipboard.use()
  const density = useDensity()
  const [takesFocus] = useState(isFocusFollowing)
  const [memory] = useState(folderMemory)
  const [seen] = useState(() => memory.recall(path))
  const [isReturning] = useState(isRevisiting)
  // The column says at once what was asked for, and turns round from there.
  const [wanted, setWanted] = useState<ShownSorting | null>(null)
  const sorting = wanted ?? listed
  // A finger that rests on a row chooses it; it does not pick it up.
  const isCoarse = useMedia('coarse')
  const canMove = can('rename') && !isCoarse
  const canUpload = can('create')

  const cut = useMemo(() => {
    const isHere = clipped?.kind === 'cut' && clipped.folder === path
    return isHere ? new Set(clipped.entries.map(({ name }) => name)) : undefined
  }, [clipped, path])

  const drag = useMemo<DragPlace>(
    () => ({ folder: path, canMove, canUpload, take: takeAlong, describe: describeDragged }),
    [path, canMove, canUpload],
  )

  const open = useCallback((entry: Entry) => {
    if (entry.isDir) followFocus()
    void navigate(addressOf(entry))
  }, [])

  async function sort(by: SortKey) {
    const next = sortedBy(sorting, by)
    setWanted(next)
    await sortFolder(path, next)
    setWanted((now) => (now === next ? null : now))
  }

  return (
    <FileGrid
      label={label}
      entries={entries}
      viewMode={viewModeOf(user.viewMode)}
      density={density}
      selection={place.selection}
      onSelect={select}
      onOpen={open}
      onOpenInNewTab={openInNewTab}
      onMenu={onMenu}
      sorting={sorting}
      onSort={(by) => void sort(by)}
      thumbnailOf={startSettings.EnableThumbs ? thumbnailOf : undefined}
      isSelectingMany={place.isSelectingMany}
      opensOnClick={user.singleClick}
      hasExactDates={user.dateFormat}
      cut={cut}
      drag={drag}
      reveal={reveal}
      takesFocus={takesFocus}
      seen={seen}
      isReturning={isReturning}
      onLeave={(left) => memory.remember(path, left)}
    />
  )
}

/** Pictures, and films where the server can look into them. An empty file has nothing to show. */
const thumbnailOf = (entry: Entry): string | null =>
  entry.size > 0 && (entry.type === 'image' || (entry.type === 'video' && startSettings.EnableVideoThumbs))
    ? previewUrl('thumb', entry)
    : null

/** A row that was not chosen is dragged alone, and chosen by it. */
function takeAlong(entry: Entry): readonly Entry[] {
  if (!currentPlace().selection.names.has(entry.name)) select(only(entry.name))
  return currentPlace().chosen
}

const describeDragged = (entries: readonly Entry[]): string =>
  entries.length === 1 ? (entries[0]?.name ?? '') : t('files.items', { count: entries.length })
