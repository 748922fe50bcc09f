import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual'
import { type KeyboardEvent, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { FolderLink } from '../../files/rights/FolderLink.tsx'
import { rootsOf } from '../../files/rights/places.ts'
import type { RightsData } from '../../files/rights/rights-data.ts'
import { SubjectName } from '../../files/rights/SubjectName.tsx'
import { useTranslation } from '../../i18n/i18n.ts'
import { isRightToLeft } from '../../ui/direction.ts'
import { Badge } from '../../ui/Table.tsx'
import type { AccessTable, Column, FolderRow } from './access-table.ts'
import { Cell } from './Cell.tsx'
import styles from './Matrix.module.css'

interface MatrixProps {
  table: AccessTable
  data: RightsData
  onEdit: (row: FolderRow, subject: Column) => void
}

/** In pixels, as in the style sheet. */
const sizes = { head: 44, row: 44, folder: 220, column: 140 }

interface RootLine {
  root: string
  isAway: boolean
}

/** A folder, or the heading above the folders of a root. */
type Line = RootLine | FolderRow

/**
 * Folders down, people and groups across. Only what is in view is drawn, in both directions: thousands of grants scroll as
 * twenty do. One stop of the Tab key; the arrows go from cell to cell.
 */
export function Matrix({ table, data, onEdit }: MatrixProps) {
  const { t } = useTranslation()
  const scroller = useRef<HTMLDivElement>(null)
  const lines = useMemo(() => linesOf(table.rows, data), [table.rows, data])
  const { columns } = table
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => sizes.row,
    paddingStart: sizes.head,
    scrollPaddingStart: sizes.head,
    overscan: 6,
    initialRect: { width: 1000, height: 600 },
  })
  const across = useVirtualizer({
    horizontal: true,
    isRtl: isRightToLeft(),
    count: columns.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => sizes.column,
    paddingStart: sizes.folder,
    scrollPaddingStart: sizes.folder,
    overscan: 2,
    initialRect: { width: 1000, height: 600 },
  })
  const first = lines.findIndex((line) => 'place' in line)
  const [at, setAt] = useState({ line: first, column: 0 })
  // What was left of it may be gone, after a filter or a removal.
  const active = {
    line: lines[at.line] !== undefined && 'place' in (lines[at.line] as Line) ? at.line : first,
    column: Math.min(at.column, columns.length - 1),
  }
  const wantsFocus = useRef(false)

  useLayoutEffect(() => {
    if (!wantsFocus.current) return
    const cell = scroller.current?.querySelector<HTMLElement>(`[data-cell="${at.line}:${at.column}"]`)
    if (cell == null) return
    wantsFocus.current = false
    cell.focus({ preventScroll: true })
  })

  function onKeyDown(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
    const next = cellAfter(event.key, active, lines, columns.length)
    if (next === null) return
    event.preventDefault()
    wantsFocus.current = true
    setAt(next)
    rows.scrollToIndex(next.line)
    across.scrollToIndex(next.column)
  }

  const shownRows = rows.getVirtualItems()
  const shown = across.getVirtualItems()
  const [before, after] = gapsAround(shown, across.getTotalSize(), sizes.folder)
  const [above, below] = gapsAround(shownRows, rows.getTotalSize(), sizes.head)
  return (
    <div ref={scroller} className={styles.scroller} data-own-keys>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the arrows go from cell to cell
        role="grid"
        className={styles.table}
        aria-label={t('rights.title')}
        aria-rowcount={lines.length + 1}
        aria-colcount={columns.length + 1}
        style={{ inlineSize: across.getTotalSize() }}
        onKeyDown={onKeyDown}
      >
        <colgroup>
          <col style={{ inlineSize: sizes.folder }} />
          <col style={{ inlineSize: before }} />
          {shown.map(({ index }) => (
            <col key={index} style={{ inlineSize: sizes.column }} />
          ))}
          <col style={{ inlineSize: after }} />
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col" aria-colindex={1}>
              {t('rights.folder')}
            </th>
            <td aria-hidden="true" />
            {shown.map(({ index }) => (
              <th key={index} scope="col" aria-colindex={index + 2}>
                <SubjectName of={columns[index] as Column} />
              </th>
            ))}
            <td aria-hidden="true" />
          </tr>
        </thead>
        <Gap size={above} />
        <tbody>
          {shownRows.map(({ index }) => {
            const line = lines[index] as Line
            if (!('place' in line)) return <RootRow key={index} index={index} line={line} span={shown.length + 3} />
            return (
              <tr key={index} aria-rowindex={index + 2} aria-label={line.name}>
                <th scope="row" aria-colindex={1}>
                  <FolderLink place={line.place} data={data} name={line.place.folder} />
                </th>
                <td aria-hidden="true" />
                {shown.map((item) => (
                  <td key={item.index} aria-colindex={item.index + 2}>
                    <Cell
                      column={columns[item.index] as Column}
                      row={line}
                      position={`${index}:${item.index}`}
                      isActive={index === active.line && item.index === active.column}
                      onFocus={() => setAt({ line: index, column: item.index })}
                      onClick={() => onEdit(line, columns[item.index] as Column)}
                    />
                  </td>
                ))}
                <td aria-hidden="true" />
              </tr>
            )
          })}
        </tbody>
        <Gap size={below} />
      </table>
    </div>
  )
}

function RootRow({ index, line, span }: { index: number; line: RootLine; span: number }) {
  const { t } = useTranslation()
  return (
    <tr aria-rowindex={index + 2} aria-label={line.root} className={styles.root}>
      <th scope="rowgroup" colSpan={span} aria-colindex={1}>
        <span>
          <bdi>{line.root}</bdi>
          {line.isAway && <Badge look="warn">{t('rights.away')}</Badge>}
        </span>
      </th>
    </tr>
  )
}

/** Takes the height of the rows that are not drawn. */
const Gap = ({ size }: { size: number }) =>
  size > 0 && (
    <tbody aria-hidden="true">
      <tr style={{ blockSize: size }} />
    </tbody>
  )

/** What the items that are not drawn take before and after those that are. */
const gapsAround = (items: readonly VirtualItem[], total: number, padding: number): [number, number] => [
  (items[0]?.start ?? padding) - padding,
  total - (items.at(-1)?.end ?? total),
]

/** With several roots each has a heading. */
function linesOf(rows: readonly FolderRow[], { mounts }: RightsData): Line[] {
  const roots = rootsOf(mounts)
  if (roots.length < 2) return [...rows]
  const lines: Line[] = []
  let last: number | undefined
  for (const row of rows) {
    const root = roots.find(({ id }) => id === row.place.mount)
    if (row.place.mount !== last) lines.push({ root: root?.name ?? '', isAway: root?.isAway ?? false })
    last = row.place.mount
    lines.push(row)
  }
  return lines
}

interface Position {
  line: number
  column: number
}

/** The cell that a key leads to; null for keys that lead nowhere. */
function cellAfter(key: string, { line, column }: Position, lines: readonly Line[], columns: number): Position | null {
  const forward = isRightToLeft() ? 'ArrowLeft' : 'ArrowRight'
  const backward = isRightToLeft() ? 'ArrowRight' : 'ArrowLeft'
  if (key === forward) return { line, column: Math.min(column + 1, columns - 1) }
  if (key === backward) return { line, column: Math.max(column - 1, 0) }
  if (key === 'Home') return { line, column: 0 }
  if (key === 'End') return { line, column: columns - 1 }
  const isFolder = (index: number) => 'place' in (lines[index] as Line)
  const folders = [...lines.keys()].filter(isFolder)
  const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }
  const step = steps[key]
  if (step === undefined) return null
  const to = Math.max(0, Math.min(folders.indexOf(line) + step, folders.length - 1))
  return { line: folders[to] ?? line, column }
}
