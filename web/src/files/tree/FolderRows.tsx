import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type MouseEvent, useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { describeFailure } from '../../dialogs/show-failure.ts'
import { Spinner } from '../../ui/Button.tsx'
import { isRightToLeft } from '../../ui/direction.ts'
import { FileMark, Icon } from '../../ui/Icon.tsx'
import { titleWhereCut } from '../../ui/title-where-cut.ts'
import { TypeAhead } from '../grid/type-ahead.ts'
import styles from './FolderRows.module.css'
import { StorageMark } from './StorageMark.tsx'
import { treeMove } from './tree-keys.ts'
import type { TreeRow } from './tree-rows.ts'

export interface FolderRowsProps {
  /** A tree leads to folders; a list of options is one of which a folder is picked. */
  kind: 'tree' | 'listbox'
  label: string
  rows: readonly TreeRow[]
  /** The key of the row that the keyboard points at. */
  active: string | null
  onActive: (row: TreeRow) => void
  /** The row of the folder in view, or the one that is picked. */
  isMarked: (row: TreeRow) => boolean
  onToggle: (row: TreeRow, isOpen: boolean) => void
  onChoose: (row: TreeRow, event: MouseEvent | KeyboardEvent) => void
  onDoubleClick?: (row: TreeRow) => void
  /** Takes what is typed, instead of jumping to a row that begins with it. */
  onType?: (text: string) => void
  /** Makes a row a target of drops. Answers how to undo it. */
  attach?: (element: HTMLElement, row: TreeRow) => () => void
  isBusy?: boolean
  /** Brought into view when it changes. */
  revealed?: string | null
}

/** In pixels, with a mouse; elsewhere it is measured. */
const rowHeight = 28
const padding = 4

const withIndex = (indices: number[], index: number): number[] =>
  index === -1 || indices.includes(index) ? indices : [...indices, index].toSorted((a, b) => a - b)

/** The rows of a tree of folders. Of many thousands those in view are rendered, and the one the keyboard points at. */
export function FolderRows(props: FolderRowsProps) {
  const { kind, rows, active, onActive, onToggle, onChoose, onType, revealed = null } = props
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const [typing] = useState(() => new TypeAhead())
  const at = active === null ? -1 : rows.findIndex(({ key }) => key === active)
  const revealedAt = revealed === null ? -1 : rows.findIndex(({ key }) => key === revealed)

  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    getItemKey: (index) => rows[index]?.key ?? index,
    estimateSize: () => rowHeight,
    paddingStart: padding,
    paddingEnd: padding,
    overscan: 10,
    rangeExtractor: (range) => withIndex(defaultRangeExtractor(range), at),
  })

  const isRevealed = revealedAt !== -1
  const show = useEffectEvent(() => virtual.scrollToIndex(revealedAt))
  // What comes later below the tree, such as recent folders, takes room from it.
  const height = virtual.scrollRect?.height ?? 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: another folder is the trigger, also one that is listed later
  useEffect(() => {
    if (isRevealed) show()
  }, [revealed, isRevealed, height])

  function activate(index: number) {
    const row = rows[index]
    if (row === undefined) return
    onActive(row)
    virtual.scrollToIndex(index)
  }

  function onKeyDown(event: KeyboardEvent) {
    // Keys that would act on the files beside the tree.
    if (kind === 'tree' && ['Delete', 'F2', 'Backspace'].includes(event.key)) return event.preventDefault()
    const move = treeMove(event.nativeEvent, rows, at, isRightToLeft())
    if (move === null) return
    event.preventDefault()
    const row = rows[at]
    if (move.kind === 'to') activate(move.index)
    if (move.kind === 'open' && row !== undefined) onToggle(row, true)
    if (move.kind === 'close' && row !== undefined) onToggle(row, false)
    if (move.kind === 'toggle' && row !== undefined && !row.isLeaf) onToggle(row, !row.isOpen)
    if (move.kind === 'enter' && row !== undefined) onChoose(row, event)
    if (move.kind === 'type') {
      if (onType !== undefined) onType(move.text)
      else activate(typing.next(move.text, rows, at, event.timeStamp))
    }
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its role is one of two
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both have a label
    <div
      ref={box}
      role={kind}
      tabIndex={0}
      className={styles.box}
      aria-label={props.label}
      aria-busy={props.isBusy || undefined}
      aria-activedescendant={at === -1 ? undefined : `${id}-${at}`}
      data-own-keys=""
      data-autofocus={kind === 'listbox' ? '' : undefined}
      onKeyDown={onKeyDown}
      onFocus={() => {
        if (at !== -1 || kind === 'listbox') return
        const first = rows.find(props.isMarked) ?? rows[0]
        if (first !== undefined) onActive(first)
      }}
    >
      <div role="presentation" className={styles.sheet} style={{ blockSize: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const row = rows[index]
          if (row === undefined) return null
          return (
            <FolderRow
              key={row.key}
              {...props}
              row={row}
              id={`${id}-${index}`}
              index={index}
              start={start}
              isActive={index === at}
              measure={virtual.measureElement}
            />
          )
        })}
      </div>
    </div>
  )
}

interface FolderRowProps extends FolderRowsProps {
  row: TreeRow
  id: string
  index: number
  start: number
  isActive: boolean
  measure: (element: HTMLElement | null) => void
}

function FolderRow(props: FolderRowProps) {
  const { kind, row, attach, isMarked, onToggle } = props
  const element = useRef<HTMLDivElement>(null)
  const isTree = kind === 'tree'
  const { path } = row
  const attachNow = useEffectEvent((target: HTMLElement) => attach?.(target, row))
  // biome-ignore lint/correctness/useExhaustiveDependencies: a row that stands for another folder is another target
  useEffect(() => (element.current === null ? undefined : attachNow(element.current)), [path])
  const failure = row.error === null ? undefined : describeFailure(row.error)

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it has the keyboard
    // biome-ignore lint/a11y/noStaticElementInteractions: its role is one of two
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both have a label
    <div
      ref={(current) => {
        element.current = current
        props.measure(current)
      }}
      id={props.id}
      role={isTree ? 'treeitem' : 'option'}
      className={styles.row}
      style={{ insetBlockStart: props.start, paddingInlineStart: 4 + (row.level - 1) * 14 }}
      data-index={props.index}
      data-active={props.isActive}
      data-path={path}
      data-away={row.isAway}
      aria-description={
        failure ?? (row.isAway ? row.note : undefined) ?? (isTree || row.key !== path ? undefined : path)
      }
      aria-setsize={isTree ? row.siblings : props.rows.length}
      aria-posinset={isTree ? row.position : props.index + 1}
      {...(isTree
        ? {
            'aria-level': row.level,
            'aria-expanded': row.isLeaf ? undefined : row.isOpen,
            'aria-current': isMarked(row) ? ('page' as const) : undefined,
          }
        : { 'aria-selected': isMarked(row) })}
      onClick={(event) => props.onChoose(row, event)}
      onAuxClick={(event) => event.button === 1 && props.onChoose(row, event)}
      onDoubleClick={() => props.onDoubleClick?.(row)}
    >
      <span
        className={styles.opener}
        aria-hidden="true"
        data-open={row.isOpen}
        data-empty={row.isLeaf || row.key !== path}
        onClick={(event) => {
          if (row.isLeaf) return
          event.stopPropagation()
          onToggle(row, !row.isOpen)
        }}
        onDoubleClick={(event) => event.stopPropagation()}
      >
        {row.isBusy ? <Spinner /> : <Icon name="chevron-right" small />}
      </span>
      {row.key !== path || row.isHome ? (
        <Icon name={row.isHome ? 'home' : 'arrow-up'} small />
      ) : row.storage !== undefined ? (
        <StorageMark kind={row.storage} />
      ) : (
        <FileMark name={row.isOpen ? 'folder-open' : 'folder'} />
      )}
      <bdi className={styles.name} onPointerEnter={titleWhereCut}>
        {row.name}
      </bdi>
      {row.note !== undefined && (
        // The description says it. The name of the row is that of the folder alone.
        <bdi className={styles.note} aria-hidden="true">
          {row.note}
        </bdi>
      )}
      {failure !== undefined && (
        <span className={styles.failure} title={failure} aria-hidden="true">
          <Icon name="warn" small />
        </span>
      )}
    </div>
  )
}
