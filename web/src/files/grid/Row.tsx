import { extensionOf } from '@filestead/contract'
import { memo, type ReactNode, useEffect, useRef } from 'react'
import { formatExact, formatSize } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { withoutMarks } from '../../i18n/placeholders.ts'
import { useRelativeTime } from '../../i18n/relative-time.ts'
import type { Entry } from '../../server/queries/resources.ts'
import { Icon } from '../../ui/Icon.tsx'
import { splitName } from '../formats/names.ts'
import { markOf } from '../marks/mark-of.ts'
import line from './Line.module.css'
import type { ViewMode } from './layout.ts'
import { isDimmed } from './names.ts'
import photo from './Photo.module.css'
import { Picture } from './Picture.tsx'
import styles from './Row.module.css'
import tile from './Tile.module.css'

/** Drag and drop of rows. */
export interface RowDrag {
  /** Rows can be dragged. Without it they are only targets. */
  canMove: boolean
  /** Makes a row draggable, and a folder a target. Answers how to undo it. */
  attach(row: HTMLElement, entry: Entry): () => void
}

export interface RowProps {
  entry: Entry
  index: number
  /** As assistive technology counts: from 1, the column headers included. */
  rowIndex: number
  mode: ViewMode
  x: number
  y: number
  width: number
  height: number
  isSelected: boolean
  isActive: boolean
  isCut: boolean
  hasExactDates: boolean
  hasMenu: boolean
  thumbnail: string | null
  /** Null where it can neither be dragged nor dropped upon. */
  drag: RowDrag | null
}

type Shape = 'line' | 'card' | 'chip' | 'photo'

const sheets: Record<Shape, Readonly<Record<string, string>>> = { line, card: tile, chip: tile, photo }

/** The class of a part: what all shapes share and what this one adds. */
const part = (shape: Shape, name: string): string => `${styles[name] ?? ''} ${sheets[shape][name] ?? ''}`

function shapeOf(mode: ViewMode, isDir: boolean): Shape {
  if (mode === 'list') return 'line'
  if (mode === 'mosaic') return 'card'
  return isDir ? 'chip' : 'photo'
}

/** One entry, as a line of the list or as a tile. Its events are handled by the grid around it. */
export const Row = memo(function Row(props: RowProps) {
  const { entry, index, mode, isSelected, isActive, drag } = props
  const { t } = useTranslation()
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => (element.current === null ? undefined : drag?.attach(element.current, entry)), [entry, drag])
  const mark = markOf(entry)
  const size = entry.isDir ? t('files.noSize') : sizeText(entry, t('files.invalidLink'))
  const time = new Date(entry.modified)
  const relative = useRelativeTime(time)
  const modified = props.hasExactDates ? formatExact(time) : relative
  const type = t(`files.types.${mark === 'folder-open' ? 'folder' : mark}`)
  const shape = shapeOf(mode, entry.isDir)

  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot be virtualised by lines of tiles
    <div
      ref={element}
      role="row"
      className={`item ${part(shape, 'row')}`}
      data-shape={shape}
      style={{ insetInlineStart: props.x, insetBlockStart: props.y, inlineSize: props.width, blockSize: props.height }}
      tabIndex={isActive ? 0 : -1}
      aria-label={entry.name}
      aria-description={entry.isDir ? t('files.folder') : t('files.description', { type, size, modified })}
      aria-selected={isSelected}
      aria-rowindex={props.rowIndex}
      data-index={index}
      data-kind={entry.isDir ? 'dir' : 'file'}
      data-dir={entry.isDir}
      data-type={entry.type}
      data-ext={(extensionOf(entry.name) || entry.name).toLowerCase()}
      data-cut={props.isCut}
      data-dim={isDimmed(entry.name)}
    >
      <Cell className={part(shape, 'name')}>
        <input
          type="checkbox"
          className={part(shape, 'pick')}
          tabIndex={-1}
          checked={isSelected}
          onChange={handledByGrid}
          aria-label={withoutMarks(t('files.select', { name: entry.name }))}
        />
        <span className={part(shape, 'picture')}>
          <Picture mark={mark} thumbnail={props.thumbnail} alt={mode === 'list' ? '' : entry.name} />
        </span>
        <span className={part(shape, 'text')}>
          <Name name={entry.name} className={part(shape, 'label')} />
          {shape === 'card' && (
            <span className={part(shape, 'meta')}>
              {!entry.isDir && <bdi>{size}</bdi>}
              {!entry.isDir && ' · '}
              <time dateTime={entry.modified} title={formatExact(time)}>
                {modified}
              </time>
            </span>
          )}
          {shape === 'photo' && <bdi className={part(shape, 'meta')}>{size}</bdi>}
        </span>
        {props.hasMenu && (
          <button
            type="button"
            className={part(shape, 'more')}
            tabIndex={-1}
            data-menu="true"
            aria-haspopup="menu"
            aria-label={withoutMarks(t('files.actionsFor', { name: entry.name }))}
          >
            <Icon name="more" />
          </button>
        )}
      </Cell>
      {shape === 'line' && (
        <>
          <Cell className={part(shape, 'size')}>
            <bdi>{size}</bdi>
          </Cell>
          <Cell className={part(shape, 'modified')}>
            <time dateTime={entry.modified} title={formatExact(time)}>
              {modified}
            </time>
          </Cell>
          <span className={part(shape, 'type')} aria-hidden="true">
            {type}
          </span>
        </>
      )}
    </div>
  )
})

const Cell = ({ className, children }: { className: string; children: ReactNode }) => (
  // biome-ignore lint/a11y/useSemanticElements: a cell of a row that is no table row
  // biome-ignore lint/a11y/useFocusableInteractive: the row has the focus
  <div role="gridcell" className={className}>
    {children}
  </div>
)

function Name({ name, className }: { name: string; className: string }) {
  const [stem, extension] = splitName(name)
  return (
    <span className={className}>
      <bdi>
        {stem}
        {extension !== '' && <span className={styles.extension}>{extension}</span>}
      </bdi>
    </span>
  )
}

const sizeText = ({ type, size }: Entry, invalidLink: string): string =>
  type === 'invalid_link' ? invalidLink : formatSize(size)

/** React asks for a handler beside `checked`; the click is handled by the grid. */
function handledByGrid(): void {}
