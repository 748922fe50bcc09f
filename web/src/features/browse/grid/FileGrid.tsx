import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Entry } from '../../../api/resources.ts'
import type { FocusMove } from '../../../place/place.ts'
import type { Selection } from '../../../place/selection.ts'
import { useMedia } from '../../../ui/media.ts'
import { ColumnHeaders } from './ColumnHeaders.tsx'
import type { DragPlace } from './drag.ts'
import styles from './FileGrid.module.css'
import { useGridFocus } from './focus.ts'
import { useGridKeys } from './keys.ts'
import { type Group, layOut, type ViewMode } from './layout.ts'
import { useGridPointer } from './pointer.ts'
import { Row } from './Row.tsx'
import { useRubberBand } from './rubber-band.ts'
import type { ShownSorting, SortKey } from './sorting.ts'
import { useGridWindow } from './window.ts'

export type Density = 'compact' | 'default' | 'comfortable'

/** A place on the screen, for a menu to open at. */
export interface Point {
  x: number
  y: number
}

/** On arrival the grid first looks as it did last time; what is out of sight even then is scrolled to. */
export interface Reveal {
  name: string
  focus: FocusMove
  isArrival: boolean
}

/** What was in view when a grid was left, and the row that the keyboard was on. */
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
  /** Right click, Menu key or the button of a row; null for free space. The entry is chosen already. */
  onMenu?: (entry: Entry | null, at: Point) => void
  /** Without these the columns have no buttons. */
  sorting?: ShownSorting
  onSort?: (by: SortKey) => void
  /** Where the thumbnail of an entry is, or null. */
  thumbnailOf?: (entry: Entry) => string | null
  /** Every click adds or takes away. */
  isSelectingMany?: boolean
  /** A plain click opens instead of choosing. */
  opensOnClick?: boolean
  hasExactDates?: boolean
  /** Names on their way elsewhere. */
  cut?: ReadonlySet<string>
  /** Nothing can be dragged or dropped without it. */
  drag?: DragPlace | null
  /** Brings this name into view when the object changes. */
  reveal?: Reveal | null
  /** Takes the keyboard's focus as soon as it is shown. */
  takesFocus?: boolean
  /** How it looked when it was shown last, for those who return, or arrive at something they come from. */
  seen?: Seen | null
  isReturning?: boolean
  onLeave?: (seen: Seen) => void
}

const noNames: ReadonlySet<string> = new Set()
const rowHeights: Record<Density, number> = { compact: 32, default: 40, comfortable: 52 }

/** Files in one of three views. Knows no place, no server and no actions: what happens is told to whoever shows it. */
export function FileGrid(props: FileGridProps) {
  const { label, entries, viewMode, density = 'default', selection, cut = noNames, drag = null } = props
  const { t } = useTranslation()
  const scroller = useRef<HTMLDivElement>(null)
  const isNarrow = useMedia('narrow')
  const isTouch = useMedia('touch')
  const [width, setWidth] = useState(0)
  const folders = useMemo(() => countFolders(entries), [entries])
  const rowHeight = isTouch ? 60 : rowHeights[density]
  const layout = useMemo(
    () => layOut({ mode: viewMode, width, folders, files: entries.length - folders, rowHeight, isNarrow }),
    [viewMode, width, folders, entries.length, rowHeight, isNarrow],
  )
  const sheet = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const element = sheet.current
    if (element === null) return
    const measure = () => setWidth(element.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const focus = useGridFocus({ ...props, scroller, sheet, layout })
  const start = props.isReturning === true ? (props.seen?.top ?? 0) : 0
  const indices = useGridWindow(scroller, layout, focus.active, entries.length, start)
  const { band, startBand, wasDrawn } = useRubberBand({ ...props, scroller, sheet, layout })
  const pointer = useGridPointer({ ...props, focus, startBand, wasDrawn })
  const onKeyDown = useGridKeys({ ...props, scroller, layout, focus })

  const isList = viewMode === 'list'
  const hasMenu = props.onMenu !== undefined
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
          hasExactDates={props.hasExactDates === true}
          hasMenu={hasMenu}
          thumbnail={props.thumbnailOf?.(entry) ?? null}
          drag={drag}
        />
      )
    },
    [
      entries,
      isList,
      viewMode,
      layout,
      selection,
      focus.active,
      cut,
      props.hasExactDates,
      hasMenu,
      props.thumbnailOf,
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
        data-multi={props.isSelectingMany === true}
        onFocus={focus.onFocus}
        onBlur={focus.onBlur}
      >
        {isList && <ColumnHeaders sorting={props.sorting} onSort={props.onSort} />}
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
      <div ref={band} className={styles.band} data-testid="rubber-band" hidden />
    </div>
  )
}

interface RowGroupProps {
  label: string
  indices: readonly number[]
  row: (index: number) => React.ReactNode
}

/** Absent while none of its rows is near: an empty group would be announced as one. */
const RowGroup = ({ label, indices, row }: RowGroupProps) =>
  indices.length === 0 ? null : (
    // biome-ignore lint/a11y/useSemanticElements: see the grid
    <div role="rowgroup" aria-label={label}>
      {indices.map(row)}
    </div>
  )

const inGroup = (group: Group, folders: number) => (index: number) => (group === 'folders') === index < folders

const groupLabel = (group: Group) => (group === 'folders' ? 'files.folders' : 'files.grid')

/** Folders stand first, so the first file ends them. */
function countFolders(entries: readonly Entry[]): number {
  const first = entries.findIndex(({ isDir }) => !isDir)
  return first === -1 ? entries.length : first
}
