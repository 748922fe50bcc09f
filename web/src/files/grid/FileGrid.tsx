import type { SortKey } from '@filestead/contract'
import { type RefObject, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { useMedia } from '../../ui/media.ts'
import type { Selection } from '../../workspace/selection.ts'
import type { FocusMove } from '../../workspace/workspace.ts'
import { ColumnHeaders } from './ColumnHeaders.tsx'
import styles from './FileGrid.module.css'
import { useGridFocus } from './focus.ts'
import { useGridKeys } from './keys.ts'
import { type Group, type Layout, layOut, type ViewMode } from './layout.ts'
import { useGridPointer } from './pointer.ts'
import { Row, type RowDrag } from './Row.tsx'
import { useRubberBand } from './rubber-band.ts'
import type { ShownSorting } from './sorting.ts'
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
  viewMode: ViewMode
  density?: Density
  selection: Selection
  onSelect: (selection: Selection) => void
  onOpen: (entry: Entry) => void
  onOpenInNewTab?: (entry: Entry) => void
  /** Right click, Menu key or the button of a row; null for free space. The entry is selected already. */
  onMenu?: (entry: Entry | null, at: Point) => void
  /** Without these the columns have no buttons. */
  sorting?: ShownSorting
  onSort?: (by: SortKey) => void
  /** The address of an entry's thumbnail, or null. */
  thumbnailOf?: (entry: Entry) => string | null
  /** Every click adds or removes. */
  isSelectingMany?: boolean
  /** A plain click opens instead of selecting. */
  opensOnClick?: boolean
  hasExactDates?: boolean
  /** The names on the clipboard that will be moved. */
  cut?: ReadonlySet<string>
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

const noNames: ReadonlySet<string> = new Set()
const rowHeights: Record<Density, number> = { compact: 32, default: 40, comfortable: 52 }

/** Files in one of three views. Knows no folder, no server and no commands: its events go to the component around it. */
export function FileGrid({
  label,
  entries,
  viewMode,
  density = 'default',
  selection,
  onSelect,
  onOpen,
  onOpenInNewTab,
  onMenu,
  sorting,
  onSort,
  thumbnailOf,
  isSelectingMany = false,
  opensOnClick = false,
  hasExactDates = false,
  cut = noNames,
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
  const folders = useMemo(() => countFolders(entries), [entries])
  const layout = useLayout(sheet, { viewMode, density, folders, files: entries.length - folders })

  const focus = useGridFocus({ entries, layout, scroller, sheet, reveal, takesFocus, seen, isReturning, onLeave })
  const start = isReturning ? (seen?.top ?? 0) : 0
  const indices = useGridWindow({ scroller, layout, active: focus.active, start })
  const band = useRubberBand({ scroller, sheet, layout, entries, selection, onSelect })
  const canDrag = drag?.canMove === true
  const events = { onSelect, onOpen, onOpenInNewTab, onMenu }
  const pointer = useGridPointer({ entries, selection, isSelectingMany, opensOnClick, canDrag, focus, band, ...events })
  const onKeyDown = useGridKeys({ entries, layout, isList, scroller, focus, selection, isSelectingMany, ...events })

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
          mode={viewMode}
          {...layout.boxOf(index)}
          isSelected={selection.names.has(entry.name)}
          isActive={index === focus.active}
          isCut={cut.has(entry.name)}
          hasExactDates={hasExactDates}
          hasMenu={hasMenu}
          thumbnail={thumbnailOf?.(entry) ?? null}
          drag={drag}
        />
      )
    },
    [entries, isList, viewMode, layout, selection, focus.active, cut, hasExactDates, hasMenu, thumbnailOf, drag],
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
        data-multi={isSelectingMany}
        onFocus={focus.onFocus}
        onBlur={focus.onBlur}
      >
        {isList && <ColumnHeaders sorting={sorting} onSort={onSort} />}
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
              <span className={styles.count}>{count}</span>
            </div>
          ))}
        </div>
      )}
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

/** Empty until the width of the sheet is known. */
function useLayout(sheet: RefObject<HTMLElement | null>, { viewMode, density, folders, files }: Shown): Layout {
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
  return useMemo(
    () => layOut({ mode: viewMode, width, ...(width === 0 ? none : { folders, files }), rowHeight, isNarrow }),
    [viewMode, width, folders, files, rowHeight, isNarrow],
  )
}

const none = { folders: 0, files: 0 }

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
