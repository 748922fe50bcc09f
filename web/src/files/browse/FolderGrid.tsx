import { useCallback, useMemo } from 'react'
import { t } from '../../i18n/i18n.ts'
import { addressOf } from '../../navigation/addresses.ts'
import { navigate } from '../../navigation/location.ts'
import { mayIn } from '../../server/queries/access.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { previewUrl, readMedia } from '../../server/queries/resources.ts'
import { can, useUser } from '../../server/session.ts'
import { startSettings } from '../../server/start-settings.ts'
import { useMedia } from '../../ui/media.ts'
import { clipboard } from '../../workspace/clipboard.ts'
import { only } from '../../workspace/selection.ts'
import { select, useWorkspace, workspace } from '../../workspace/workspace.ts'
import { useDragging } from '../grid/dragging.ts'
import { FileGrid, type Point, type Reveal, type ThumbnailSize } from '../grid/FileGrid.tsx'
import type { AskMedia } from '../grid/gallery.ts'
import { sortBy } from '../grid/list-order.ts'
import type { Places, RootMark } from '../grid/Row.tsx'
import type { ShownSorting } from '../grid/sorting.ts'
import { useSharedMark } from '../sharing/shared-mark.ts'
import { openInNewTab } from './commands.ts'
import { followFocus, useGridMemory } from './folder-memory.ts'
import { askForOneTap, useOpensOnTap } from './one-tap.ts'
import { useDensity, useHiddenColumns, viewModeOf } from './view-options.ts'

interface FolderGridProps {
  path: string
  label: string
  entries: readonly Entry[]
  sorting: ShownSorting | null
  reveal: Reveal | null
  fresh?: ReadonlySet<string> | undefined
  roots?: ReadonlyMap<string, RootMark> | undefined
  /** The entries are results of a search below the folder, remembered by this key; and how they tell their folders. */
  results?: { key: string; places: Places }
  onMenu: (entry: Entry | null, at: Point) => void
}

/** The grid of the folder in view, connected to the workspace, the user's preferences and the commands. */
export function FolderGrid(props: FolderGridProps) {
  const { path, label, entries, sorting, reveal, fresh, roots, results, onMenu } = props
  const user = useUser()
  const selection = useWorkspace((workspace) => workspace.selection)
  const isSelectingMany = useWorkspace((workspace) => workspace.isSelectingMany)
  const clipped = clipboard.use()
  const density = useDensity()
  const hiddenColumns = useHiddenColumns()
  const opensOnTap = useOpensOnTap()
  const memory = useGridMemory(results?.key ?? path)
  // A long press of a finger selects a row; it does not drag it.
  const isCoarse = useMedia('coarse')
  const canMove = can('rename') && !isCoarse
  const canUpload = can('create')

  const cut = useMemo(() => {
    const isHere = clipped?.kind === 'cut' && clipped.folder === path
    return isHere ? new Set(clipped.entries.map(({ name }) => name)) : undefined
  }, [clipped, path])

  const shared = useSharedMark(path)
  const isSearch = results !== undefined
  // Results come from several folders.
  const source = isSearch ? '' : path
  const dragging = useDragging()
  const drag = useMemo(
    () => dragging?.rowDrag({ folder: source, canMove, canUpload, entriesDraggedWith, describe: describeDragged }),
    [dragging, source, canMove, canUpload],
  )

  const askMedia = useCallback<AskMedia>((names, signal) => readMedia(path, names, signal), [path])

  const open = useCallback((entry: Entry) => {
    if (entry.isDir) followFocus()
    void navigate(addressOf(entry))
  }, [])

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
      sorting={sorting ?? undefined}
      places={results?.places}
      onSort={(by) => void sortBy(by)}
      hiddenColumns={hiddenColumns}
      thumbnailOf={startSettings.EnableThumbs ? thumbnailOf : undefined}
      askMedia={startSettings.EnableThumbs && mayIn(path, 'download') && !isSearch ? askMedia : undefined}
      isSelectingMany={isSelectingMany}
      opensOnClick={user.singleClick}
      opensOnTap={opensOnTap}
      onTapSelect={askForOneTap}
      hasExactDates={user.dateFormat}
      cut={cut}
      shared={isSearch ? null : shared}
      roots={roots}
      drag={drag}
      reveal={reveal}
      fresh={fresh}
      {...memory}
    />
  )
}

/** Pictures, and films where the server can read them. An empty file has nothing to show. */
const thumbnailOf = (entry: Entry, size: ThumbnailSize): string | null =>
  entry.size > 0 &&
  (entry.type === 'image' || (entry.type === 'video' && startSettings.EnableVideoThumbs)) &&
  entry.can?.includes('download') !== false
    ? previewUrl(size, entry)
    : null

/** A row that was not selected is dragged alone, and selected by it. */
function entriesDraggedWith(entry: Entry): readonly Entry[] {
  if (!workspace().selection.names.has(entry.name)) select(only(entry.name))
  return workspace().chosen
}

const describeDragged = (entries: readonly Entry[]): string =>
  entries.length === 1 ? (entries[0]?.name ?? '') : t('files.items', { count: entries.length })
