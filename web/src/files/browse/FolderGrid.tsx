import type { SortKey } from '@filestead/contract'
import { useCallback, useMemo, useState } from 'react'
import { t } from '../../i18n/i18n.ts'
import { addressOf } from '../../navigation/addresses.ts'
import { isRevisiting, navigate } from '../../navigation/location.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { previewUrl } from '../../server/queries/resources.ts'
import { can, useUser } from '../../server/session.ts'
import { startSettings } from '../../server/start-settings.ts'
import { useMedia } from '../../ui/media.ts'
import { clipboard } from '../../workspace/clipboard.ts'
import { only } from '../../workspace/selection.ts'
import { select, useWorkspace, workspace } from '../../workspace/workspace.ts'
import { rowDrag } from '../grid/drag.ts'
import { FileGrid, type Point, type Reveal } from '../grid/FileGrid.tsx'
import { type ShownSorting, sortedBy } from '../grid/sorting.ts'
import { openInNewTab } from './commands.ts'
import { folderMemory, followFocus, isFocusFollowing } from './folder-memory.ts'
import { sortFolder, useDensity, viewModeOf } from './view-options.ts'

interface FolderGridProps {
  path: string
  label: string
  entries: readonly Entry[]
  sorting: ShownSorting
  reveal: Reveal | null
  onMenu: (entry: Entry | null, at: Point) => void
}

/** The grid of the folder in view, connected to the workspace, the user's preferences and the commands. */
export function FolderGrid({ path, label, entries, sorting: listed, reveal, onMenu }: FolderGridProps) {
  const user = useUser()
  const selection = useWorkspace((workspace) => workspace.selection)
  const isSelectingMany = useWorkspace((workspace) => workspace.isSelectingMany)
  const clipped = clipboard.use()
  const density = useDensity()
  const [takesFocus] = useState(isFocusFollowing)
  const [memory] = useState(folderMemory)
  const [seen] = useState(() => memory.recall(path))
  const [isReturning] = useState(isRevisiting)
  // The column shows the new order at once, and the next click goes on from there.
  const [wanted, setWanted] = useState<ShownSorting | null>(null)
  const sorting = wanted ?? listed
  // A long press of a finger selects a row; it does not drag it.
  const isCoarse = useMedia('coarse')
  const canMove = can('rename') && !isCoarse
  const canUpload = can('create')

  const cut = useMemo(() => {
    const isHere = clipped?.kind === 'cut' && clipped.folder === path
    return isHere ? new Set(clipped.entries.map(({ name }) => name)) : undefined
  }, [clipped, path])

  const drag = useMemo(
    () => rowDrag({ folder: path, canMove, canUpload, entriesDraggedWith, describe: describeDragged }),
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
      selection={selection}
      onSelect={select}
      onOpen={open}
      onOpenInNewTab={openInNewTab}
      onMenu={onMenu}
      sorting={sorting}
      onSort={(by) => void sort(by)}
      thumbnailOf={startSettings.EnableThumbs ? thumbnailOf : undefined}
      isSelectingMany={isSelectingMany}
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

/** Pictures, and films where the server can read them. An empty file has nothing to show. */
const thumbnailOf = (entry: Entry): string | null =>
  entry.size > 0 && (entry.type === 'image' || (entry.type === 'video' && startSettings.EnableVideoThumbs))
    ? previewUrl('thumb', entry)
    : null

/** A row that was not selected is dragged alone, and selected by it. */
function entriesDraggedWith(entry: Entry): readonly Entry[] {
  if (!workspace().selection.names.has(entry.name)) select(only(entry.name))
  return workspace().chosen
}

const describeDragged = (entries: readonly Entry[]): string =>
  entries.length === 1 ? (entries[0]?.name ?? '') : t('files.items', { count: entries.length })
