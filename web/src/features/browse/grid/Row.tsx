import { memo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { Entry } from '../../../api/resources.ts'
import { formatExact, formatRelative, formatSize } from '../../../i18n/format.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { type DragPlace, useRowDrag } from './drag.ts'
import type { ViewMode } from './layout.ts'
import { extensionOf, isDimmed, markOf, splitName } from './marks.ts'
import { Picture } from './Picture.tsx'
import styles from './Row.module.css'

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
  const isPhoto = mode === 'mosaic gallery' && !entry.isDir
  const shape = mode === 'list' ? 'line' : isPhoto ? 'photo' : mode === 'mosaic' ? 'card' : 'chip'

  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot be virtualised by lines of tiles
    <div
      ref={element}
      role="row"
      className={`item ${styles.row}`}
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
      {/* biome-ignore lint/a11y/useSemanticElements: a cell of that row */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the row has the focus */}
      <div role="gridcell" className={styles.name}>
        <input
          type="checkbox"
          className={styles.pick}
          tabIndex={-1}
          checked={isSelected}
          onChange={heardByTheGrid}
          aria-label={t('files.select', { name: entry.name })}
        />
        <span className={styles.picture}>
          <Picture mark={mark} thumbnail={props.thumbnail} alt={mode === 'list' ? '' : entry.name} />
        </span>
        <span className={styles.text}>
          <Name name={entry.name} />
          {shape === 'card' && (
            <span className={styles.meta}>
              {!entry.isDir && <bdi>{size}</bdi>}
              {!entry.isDir && ' · '}
              <time dateTime={entry.modified}>{modified}</time>
            </span>
          )}
          {shape === 'photo' && <bdi className={styles.meta}>{size}</bdi>}
        </span>
        {props.hasMenu && (
          <button
            type="button"
            className={styles.more}
            tabIndex={-1}
            data-menu="true"
            aria-haspopup="menu"
            aria-label={t('files.actionsFor', { name: entry.name })}
          >
            <Icon name="more" />
          </button>
        )}
      </div>
      {shape === 'line' && (
        <>
          {/* biome-ignore lint/a11y/useSemanticElements: a cell of that row */}
          {/* biome-ignore lint/a11y/useFocusableInteractive: the row has the focus */}
          <div role="gridcell" className={styles.size}>
            <bdi>{size}</bdi>
          </div>
          {/* biome-ignore lint/a11y/useSemanticElements: a cell of that row */}
          {/* biome-ignore lint/a11y/useFocusableInteractive: the row has the focus */}
          <div role="gridcell" className={styles.modified}>
            <time dateTime={entry.modified} title={formatExact(time)}>
              {modified}
            </time>
          </div>
          <span className={styles.type} aria-hidden="true">
            {type}
          </span>
        </>
      )}
    </div>
  )
})

function Name({ name }: { name: string }) {
  const [stem, extension] = splitName(name)
  return (
    <bdi className={styles.label}>
      {stem}
      {extension !== '' && <span className={styles.extension}>{extension}</span>}
    </bdi>
  )
}

const sizeText = ({ type, size }: Entry, invalidLink: string): string =>
  type === 'invalid_link' ? invalidLink : formatSize(size)

/** React asks for a handler beside `checked`; the click is dealt with by the grid. */
function heardByTheGrid(): void {}
