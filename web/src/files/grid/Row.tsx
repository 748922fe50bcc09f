import { extensionOf } from '@filestead/contract'
import { memo, type ReactNode, useEffect, useRef } from 'react'
import { formatExact, formatSize } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { withoutMarks } from '../../i18n/placeholders.ts'
import { useRelativeTime } from '../../i18n/relative-time.ts'
import { useIsUnsettled } from '../../server/operations/unsettled.ts'
import type { Entry } from '../../server/queries/resources.ts'
import badge from '../../ui/Badge.module.css'
import { Icon } from '../../ui/Icon.tsx'
import { splitEnd, splitName } from '../formats/names.ts'
import { markOf, typeKeyOf } from '../marks/mark-of.ts'
import line from './Line.module.css'
import type { ViewMode } from './layout.ts'
import { isDimmed } from './names.ts'
import { Picture } from './Picture.tsx'
import styles from './Row.module.css'
import type { SortTexts } from './sorting.ts'
import tile from './Tile.module.css'

/** Drag and drop of rows. */
export interface RowDrag {
  /** Rows can be dragged. Without it they are only targets. */
  canMove: boolean
  /** Makes a row draggable, and a folder a target. Answers how to undo it. */
  attach(row: HTMLElement, entry: Entry): () => void
}

/** How entries of several folders tell them. */
export interface Places {
  heading: ReactNode
  /** Columns that are called otherwise than in a folder. */
  texts?: Partial<SortTexts>
  nameOf(entry: Entry): string
  /** Where names of entries are made up, because several have the same: what the row is called. */
  labelOf?(entry: Entry): string
  /** Where the size of a folder may be known. */
  sizeOf?(entry: Entry): number | undefined
  /** In the list a cell instead of the type; on a tile instead of what else stands below the name. */
  cellOf(entry: Entry, mode: ViewMode): ReactNode
}

/** Of a root folder, where several are at the top: the mark of its storage, and what there is to say of it. */
export interface RootMark {
  picture: ReactNode
  /** Instead of when it was changed. */
  note?: string
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
  isFresh: boolean
  /** What the mark of a shared entry says; null without one. */
  sharedLabel: string | null
  root: RootMark | undefined
  hasExactDates: boolean
  places: Places | undefined
  hasMenu: boolean
  thumbnail: string | null
  /** A larger one, for dense screens. */
  largeThumbnail: string | null
  /** In a gallery. */
  photoStyles?: Sheet | undefined
  isKnown?: boolean
  isWhole?: boolean
  length?: string
  /** Null where it can neither be dragged nor dropped upon. */
  drag: RowDrag | null
}

type Shape = 'line' | 'card' | 'chip' | 'photo'

type Sheet = Readonly<Record<string, string>>

const sheets: Record<Exclude<Shape, 'photo'>, Sheet> = { line, card: tile, chip: tile }

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
  const isUnsettled = useIsUnsettled(entry.path)
  const { places, root } = props
  const known = places?.sizeOf?.(entry)
  const size =
    known !== undefined ? formatSize(known) : entry.isDir ? t('files.noSize') : sizeText(entry, t('files.invalidLink'))
  const time = new Date(entry.modified)
  const relative = useRelativeTime(time)
  const modified = root?.note ?? (props.hasExactDates ? formatExact(time) : relative)
  const type = t(typeKeyOf(entry))
  const shape = shapeOf(mode, entry.isDir)
  const own = shape === 'photo' ? props.photoStyles : sheets[shape]
  // The class of a part: what all shapes share and what this one adds.
  const part = (name: string): string => `${styles[name] ?? ''} ${own?.[name] ?? ''}`
  const name = places?.nameOf(entry) ?? entry.name
  const label = places?.labelOf?.(entry) ?? entry.name
  const place = places?.cellOf(entry, mode)
  // Where there is no room beside the name, the mark of what is shared lies over the picture.
  const isSharedOver = shape === 'chip' || shape === 'photo'

  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot be virtualised by lines of tiles
    <div
      ref={element}
      role="row"
      className={`item ${part('row')}`}
      data-shape={shape}
      style={{ insetInlineStart: props.x, insetBlockStart: props.y, inlineSize: props.width, blockSize: props.height }}
      tabIndex={isActive ? 0 : -1}
      aria-label={label}
      aria-description={
        entry.isDir ? (root?.note ?? t('files.folder')) : t('files.description', { type, size, modified })
      }
      aria-selected={isSelected}
      aria-rowindex={props.rowIndex}
      data-index={index}
      data-kind={entry.isDir ? 'dir' : 'file'}
      data-dir={entry.isDir}
      data-type={entry.type}
      data-ext={(extensionOf(entry.name) || entry.name).toLowerCase()}
      data-cut={props.isCut}
      data-fresh={props.isFresh || undefined}
      data-dim={isDimmed(name)}
      data-known={props.isKnown}
      data-whole={props.isWhole}
    >
      <Cell className={part('name')}>
        <input
          type="checkbox"
          className={part('pick')}
          tabIndex={-1}
          checked={isSelected}
          onChange={handledByGrid}
          aria-label={withoutMarks(t('files.select', { name: label }))}
        />
        <span className={part('picture')}>
          {root?.picture ?? (
            <Picture
              mark={mark}
              thumbnail={props.isKnown === false || isUnsettled ? null : props.thumbnail}
              largeThumbnail={props.largeThumbnail}
              width={props.width}
              alt={mode === 'list' ? '' : entry.name}
            />
          )}
          {props.length !== undefined && props.length !== '' && <span className={part('length')}>{props.length}</span>}
        </span>
        <span className={part('text')}>
          <Name name={name} className={part('label')} />
          {shape !== 'line' && place}
          {shape === 'card' && place === undefined && (
            <span className={part('meta')}>
              {!entry.isDir && <bdi>{size}</bdi>}
              {!entry.isDir && ' · '}
              <time dateTime={entry.modified} title={formatExact(time)}>
                {modified}
              </time>
            </span>
          )}
          {shape === 'photo' && place === undefined && <bdi className={part('meta')}>{size}</bdi>}
        </span>
        {props.sharedLabel !== null && (
          <span
            role="img"
            className={`${part('shared')} ${isSharedOver ? badge.badge : ''}`}
            aria-label={props.sharedLabel}
            title={props.sharedLabel}
          >
            <Icon name="link" small />
          </span>
        )}
        {props.hasMenu && (
          <button
            type="button"
            className={part('more')}
            tabIndex={-1}
            data-menu="true"
            aria-haspopup="menu"
            aria-label={withoutMarks(t('files.actionsFor', { name: label }))}
            data-tip={t('files.itemActions')}
          >
            <Icon name="more" />
          </button>
        )}
      </Cell>
      {shape === 'line' && (
        <>
          <Cell className={part('size')}>
            <bdi>{size}</bdi>
          </Cell>
          <Cell className={part('modified')}>
            <time dateTime={entry.modified} title={formatExact(time)}>
              {modified}
            </time>
          </Cell>
          {/* The description of the row says it. */}
          {place ?? (
            <span className={part('type')} aria-hidden="true">
              {type}
            </span>
          )}
        </>
      )}
    </div>
  )
})

interface CellProps {
  className?: string | undefined
  title?: string
  children: ReactNode
}

export const Cell = ({ className, title, children }: CellProps) => (
  // biome-ignore lint/a11y/useSemanticElements: a cell of a row that is no table row
  // biome-ignore lint/a11y/useFocusableInteractive: the row has the focus
  <div role="gridcell" className={className} title={title}>
    {children}
  </div>
)

function Name({ name, className }: { name: string; className: string }) {
  const [stem, extension] = splitName(name)
  const [start, end] = splitEnd(stem)
  return (
    <span className={className} title={name}>
      <bdi className={styles.whole}>
        <span className={styles.beginning}>{start}</span>
        <span className={end === '' ? undefined : styles.end}>
          {end}
          {extension !== '' && <span className={styles.extension}>{extension}</span>}
        </span>
      </bdi>
    </span>
  )
}

const sizeText = ({ type, size }: Entry, invalidLink: string): string =>
  type === 'invalid_link' ? invalidLink : formatSize(size)

/** React asks for a handler beside `checked`; the click is handled by the grid. */
function handledByGrid(): void {}
