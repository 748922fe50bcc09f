import { memo, type ReactNode, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { Entry } from '../../../api/resources.ts'
import { formatExact, formatRelative, formatSize } from '../../../i18n/format.ts'
import { withoutMarks } from '../../../i18n/placeholders.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { extensionOf, markOf } from '../../../ui/mark-of.ts'
import { type DragPlace, useRowDrag } from './drag.ts'
import line from './Line.module.css'
import type { ViewMode } from './layout.ts'
import { isDimmed, splitName } from './names.ts'
import photo from './Photo.module.css'
import { Picture } from './Picture.tsx'
import styles from './Row.module.css'
import tile from './Tile.module.css'

export interface RowProps {
  entry: Entry
  index: number
  /** As assistive technology counts. */
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
  /** Where it is, if it can be dragged or dropped upon. */
  drag: DragPlace | null
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

/** One entry, as a line of the list or as a tile. What happens on it is heard by the grid around it. */
export const Row = memo(function Row(props: RowProps) {
  const { entry, index, mode, isSelected, isActive } = props
  const { t } = useTranslation()
  const element = useRef<HTMLDivElement>(null)
  useRowDrag(element, entry, props.drag)
  const mark = markOf(entry)
  const size = entry.isDir ? t('files.noSize') : sizeText(entry, t('files.invalidLink'))
  const time = new Date(entry.modified)
  const modified = props.hasExactDates ? formatExact(time) : formatRelative(time)
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
      data-ext={extensionOf(entry.name)}
      data-cut={props.isCut}
      data-dim={isDimmed(entry.name)}
    >
      <Cell className={part(shape, 'name')}>
        <input
          type="checkbox"
          className={part(shape, 'pick')}
          tabIndex={-1}
          checked={isSelected}
          onChange={heardByTheGrid}
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
              <time dateTime={entry.modified}>{modified}</time>
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

/** React asks for a handler beside `checked`; the click is dealt with by the grid. */
function heardByTheGrid(): void {}
