import { type RefObject, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { formatNumber } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { useMedia } from '../../ui/media.ts'
import { everything, isPressed, nothing, type Selection } from '../../workspace/selection.ts'
import type { FocusMove } from '../../workspace/workspace.ts'
import { ColumnHeaders } from './ColumnHeaders.tsx'
import styles from './FileGrid.module.css'
import { useGridFocus } from './focus.ts'
import type { AskMedia } from './gallery.ts'
import { useGridKeys } from './keys.ts'
import type { Group, Measures, ViewMode } from './layout.ts'
import { useGridPointer } from './pointer.ts'
import { type Places, type RootMark, Row, type RowDrag } from './Row.tsx'
import { useRubberBand } from './rubber-band.ts'
import type { Column, ShownSorting } from './sorting.ts'
import { useGridLayout } from './use-gallery.ts'
import { useGridWindow } from './window.ts'

export type Density = 'compact' | 'default' | 'comfortable'

/** A place on the screen, for a menu to open at. */
export interface Point {
  x: number
  y: number
}

/** On arrival the grid first scrolls to where it was last time, and on only if the entry is out of view even then. */
export interface Reveal {
  name: string
  focus: FocusMove
  isArrival: boolean
}

/** The scroll position and the active row of a grid when it was left. */
export interface Seen {
  top: number
  active: string | null
  hadFocus: boolean
}

export interface FileGridProps {
  /** "Files", or "Shared files" on the page of a share. */
  label: string
  /** In the order of the screen: folders first. */
  entries: readonly Entry[]
  /** More are to come: how many there are is not told yet. */
  isBeginning?: boolean
  viewMode: ViewMode
  density?: Density
  selection: Selection
  onSelect: (selection: Selection) => void
  onOpen: (entry: Entry) => void
  onOpenInNewTab?: (entry: Entry) => void
  /** Right click, Menu key or the button of a row; null for free space. The entry is selected already. */
  onMenu?: (entry: Entry | null, at: Point) => void
  /** Without these the columns have no buttons. */
  sorting?: ShownSorting | undefined
  onSort?: (by: Column) => void
  /** The columns that the list leaves out, where the window is wide enough for any. */
  hiddenColumns?: readonly Column[]
  /** The address of an entry's thumbnail, or null. A gallery asks for sizes of the same shape as the picture. */
  thumbnailOf?: (entry: Entry, size: ThumbnailSize) => string | null
  /** Tells a gallery the shapes of pictures; the same function for as long as the folder is the same. */
  askMedia?: AskMedia
  /** Every click adds or removes. */
  isSelectingMany?: boolean
  /** A plain click opens instead of selecting. */
  opensOnClick?: boolean
  /** The same for the tap of a finger; as a click does unless it is given. */
  opensOnTap?: boolean
  /** A finger has selected an entry by a tap. */
  onTapSelect?: (entry: Entry) => void
  hasExactDates?: boolean
  /** For entries of several folders: the heading of the folders' column, the part of a name that is one, and its cell. */
  places?: Places | undefined
  /** The names on the clipboard that will be moved. */
  cut?: ReadonlySet<string>
  /** The names that came a moment ago, highlighted softly. */
  fresh?: ReadonlySet<string> | undefined
  /** The entries that links lead to. */
  shared?: SharedMark | null
  /** The root folders among the entries, by name. */
  roots?: ReadonlyMap<string, RootMark> | undefined
  /** Nothing can be dragged or dropped without it. */
  drag?: RowDrag | null
  /** Brings this name into view when the object changes. */
  reveal?: Reveal | null
  /** Takes the keyboard's focus as soon as it is shown. */
  takesFocus?: boolean
  /** The state in which this grid was left last time. */
  seen?: Seen | null
  /** Restores that state at once. Otherwise only a reveal does. */
  isReturning?: boolean
  onLeave?: (seen: Seen) => void
}

export type ThumbnailSize = 'thumb' | '512' | '1024'

/** Entries that have a mark beside their name, and what it says. */
export interface SharedMark {
  names: ReadonlySet<string>
  label: string
}

const noNames: ReadonlySet<string> = new Set()
const noColumns: readonly Column[] = []
const rowHeights: Record<Density, number> = { compact: 32, default: 40, comfortable: 52 }

/** Files in one of three views. Knows no folder, no server and no commands: its events go to the component around it. */
export function FileGrid({
  label,
  entries,
  isBeginning = false,
  viewMode,
  density = 'default',
  selection,
  onSelect,
  onOpen,
  onOpenInNewTab,
  onMenu,
  sorting,
  onSort,
  hiddenColumns = noColumns,
  thumbnailOf,
  askMedia,
  isSelectingMany = false,
  opensOnClick = false,
  opensOnTap = opensOnClick,
  onTapSelect,
  hasExactDates = false,
  places,
  cut = noNames,
  fresh = noNames,
  shared = null,
  roots,
  drag = null,
  reveal = null,
  takesFocus = false,
  seen = null,
  isReturning = false,
  onLeave,
}: FileGridProps) {
  const { t } = useTranslation()
  const scroller = useRef<HTMLDivElement>(null)
  const sheet = useRef<HTMLDivElement>(null)
  const isList = viewMode === 'list'
  const isGallery = viewMode === 'mosaic gallery'
  const folders = useMemo(() => countFolders(entries), [entries])
  const measures = useMeasures(sheet, { viewMode, density, folders, files: entries.length - folders })
  const { layout, part, onNews } = useGridLayout(measures, entries)

  const focus = useGridFocus({ entries, layout, scroller, sheet, reveal, takesFocus, seen, isReturning, onLeave })
  const start = isReturning ? (seen?.top ?? 0) : 0
  const indices = useGridWindow({ scroller, layout, active: focus.active, start })
  const band = useRubberBand({ scroller, sheet, layout, entries, selection, onSelect })
  const canDrag = drag?.canMove === true
  const events = { onSelect, onOpen, onOpenInNewTab, onMenu }
  const opens = { opensOnClick, opensOnTap, onTapSelect }
  const pointer = useGridPointer({ entries, selection, isSelectingMany, canDrag, focus, band, ...opens, ...events })
  const typed = useMemo(
    () => places?.labelOf && entries.map((entry) => ({ name: places.labelOf?.(entry) ?? '' })),
    [entries, places],
  )
  const onKeyDown = useGridKeys({
    entries,
    typed,
    layout,
    isList,
    scroller,
    focus,
    selection,
    isSelectingMany,
    ...events,
  })

  const hasMenu = onMenu !== undefined
  const row = useCallback(
    (index: number) => {
      const entry = entries[index]
      if (entry === undefined) return null
      return (
        <Row
          key={entry.name}
          entry={entry}
          index={index}
          rowIndex={index + (isList ? 2 : 1)}
          mode={part === null ? 'mosaic' : viewMode}
          photoStyles={part?.styles}
          {...layout.boxOf(index)}
          isSelected={selection.names.has(entry.name)}
          isActive={index === focus.active}
          isCut={cut.has(entry.name)}
          isFresh={fresh.has(entry.name)}
          sharedLabel={shared?.names.has(entry.name) ? shared.label : null}
          root={roots?.get(entry.name)}
          hasExactDates={hasExactDates}
          places={places}
          hasMenu={hasMenu}
          thumbnail={thumbnailOf?.(entry, isGallery ? '512' : 'thumb') ?? null}
          largeThumbnail={isGallery && !measures.isNarrow ? (thumbnailOf?.(entry, '1024') ?? null) : null}
          {...layout.photo?.(index)}
          drag={drag}
        />
      )
    },
    [
      entries,
      isList,
      isGallery,
      viewMode,
      part,
      layout,
      measures.isNarrow,
      selection,
      focus.active,
      cut,
      fresh,
      shared,
      roots,
      hasExactDates,
      places,
      hasMenu,
      thumbnailOf,
      drag,
    ],
  )

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: listens for the rows inside, which have the roles
    <div ref={scroller} className={styles.scroller} data-mode={viewMode} onKeyDown={onKeyDown} {...pointer}>
      {/* biome-ignore lint/a11y/useSemanticElements: a table cannot be virtualised by lines of tiles */}
      <div
        role="grid"
        id="listing"
        className={`${viewMode} ${styles.grid}`}
        tabIndex={-1}
        aria-label={label}
        aria-multiselectable="true"
        aria-rowcount={entries.length + (isList ? 1 : 0)}
        data-view-mode={viewMode}
        data-density={density}
        data-multi={isSelectingMany || isPressed(selection)}
        data-pressed={isPressed(selection)}
        data-hides={hiddenColumns.join(' ')}
        onFocus={focus.onFocus}
        onBlur={focus.onBlur}
      >
        {isList && (
          <ColumnHeaders
            selected={selection.names.size === 0 ? 'none' : selection.names.size < entries.length ? 'some' : 'all'}
            onSelectAll={(isSelected) => onSelect(isSelected ? everything(entries) : nothing)}
            sorting={sorting}
            onSort={onSort}
            place={places?.heading}
            texts={places?.texts}
          />
        )}
        <div ref={sheet} role="presentation" className={styles.sheet} style={{ blockSize: layout.height }}>
          {(['folders', 'files'] as const).map((group) => (
            <RowGroup
              key={group}
              label={t(groupLabel(group))}
              indices={indices.filter(inGroup(group, folders))}
              row={row}
            />
          ))}
        </div>
      </div>
      {!isList && (
        <div className={styles.headings}>
          {layout.headings.map(({ group, top, count }) => (
            <div key={group} className={styles.heading} style={{ insetBlockStart: top }}>
              <h2>{t(groupLabel(group))}</h2>
              {!isBeginning && <span className={styles.count}>{formatNumber(count)}</span>}
            </div>
          ))}
        </div>
      )}
      {part && <part.Shapes {...{ scroller, layout, entries, folders, indices, onNews }} ask={askMedia} />}
      <div ref={band.ref} className={styles.band} data-testid="rubber-band" hidden />
    </div>
  )
}

interface Shown {
  viewMode: ViewMode
  density: Density
  folders: number
  files: number
}

function useMeasures(sheet: RefObject<HTMLElement | null>, { viewMode, density, folders, files }: Shown): Measures {
  const isNarrow = useMedia('narrow')
  const isTouch = useMedia('touch')
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const element = sheet.current
    if (element === null) return
    const measure = () => setWidth(element.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [sheet])
  const rowHeight = isTouch ? 60 : rowHeights[density]
  return { mode: viewMode, width, folders, files, rowHeight, isNarrow }
}

interface RowGroupProps {
  label: string
  indices: readonly number[]
  row: (index: number) => React.ReactNode
}

/** Absent while none of its rows is drawn: an empty group would be announced as one. */
const RowGroup = ({ label, indices, row }: RowGroupProps) =>
  indices.length === 0 ? null : (
    // biome-ignore lint/a11y/useSemanticElements: see the grid
    <div role="rowgroup" aria-label={label}>
      {indices.map(row)}
    </div>
  )

const inGroup = (group: Group, folders: number) => (index: number) => (group === 'folders') === index < folders

const groupLabel = (group: Group) => (group === 'folders' ? 'files.folders' : 'files.grid')

/** Folders come first, so the first file ends them. */
function countFolders(entries: readonly Entry[]): number {
  const first = entries.findIndex(({ isDir }) => !isDir)
  return first === -1 ? entries.length : first
}
