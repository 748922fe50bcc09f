import { Fragment, useEffect, useRef } from 'react'
import { formatExact, formatSize } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { useRelativeTime } from '../../i18n/relative-time.ts'
import { addressOf } from '../../navigation/addresses.ts'
import { Link } from '../../navigation/Link.tsx'
import { previewUrl } from '../../server/queries/resources.ts'
import type { FoundEntry } from '../../server/queries/search.ts'
import { startSettings } from '../../server/start-settings.ts'
import { IconButton } from '../../ui/Button.tsx'
import { Picture } from '../grid/Picture.tsx'
import { markOf } from '../marks/mark-of.ts'
import type { ResultLine } from './lines.ts'
import styles from './Results.module.css'
import { highlight, visibleTerms } from './terms.ts'

/** So many at first, and so many more each time the end comes near. */
export const shownResults = 50

interface ResultsProps {
  id: string
  query: string
  lines: readonly ResultLine[]
  active: string | undefined
  onMark: (key: string) => void
  onDone: () => void
  onShowInFolder: (entry: FoundEntry) => void
}

export function Results({ id, query, lines, active, onMark, onDone, onShowInFolder }: ResultsProps) {
  const { t } = useTranslation()
  const terms = visibleTerms(query)
  return (
    <div id={id}>
      {lines.length > 0 && (
        <ul id="result" aria-label={t('search.list')} className={styles.list}>
          {lines.map((line) => (
            <Result
              key={line.key}
              id={line.id}
              entry={line.entry}
              terms={terms}
              isActive={line.key === active}
              onMark={() => onMark(line.key)}
              onDone={onDone}
              onShowInFolder={onShowInFolder}
            />
          ))}
        </ul>
      )}
    </div>
  )
}

interface ResultProps extends Omit<ResultLine, 'key'> {
  terms: readonly string[]
  isActive: boolean
  onMark: () => void
  onDone: () => void
  onShowInFolder: (entry: FoundEntry) => void
}

function Result({ id, entry, terms, isActive, onMark, onDone, onShowInFolder }: ResultProps) {
  const { t } = useTranslation()
  const item = useRef<HTMLLIElement>(null)
  const split = entry.name.lastIndexOf('/') + 1
  const time = new Date(entry.modified)
  const modified = useRelativeTime(time)
  const kind = entry.isDir ? 'dir' : 'file'
  const size = entry.isDir || entry.type === 'invalid_link' ? null : formatSize(entry.size)
  useEffect(() => {
    if (isActive) item.current?.scrollIntoView({ block: 'nearest' })
  }, [isActive])

  return (
    <li
      ref={item}
      className={styles.item}
      data-kind={kind}
      data-active={isActive}
      onMouseMove={() => isActive || onMark()}
    >
      <Link
        id={id}
        to={addressOf(entry)}
        className={styles.hit}
        aria-label={entry.name}
        aria-description={size === null ? modified : `${size}, ${modified}`}
        data-kind={kind}
        // The field has the keyboard, and points at the marked result.
        tabIndex={-1}
        onMouseDown={(event) => event.preventDefault()}
        onClick={(event) => {
          if (!event.ctrlKey && !event.metaKey && !event.shiftKey) onDone()
        }}
      >
        <span className={styles.picture}>
          <Picture mark={markOf({ ...entry, name: entry.name.slice(split) })} thumbnail={thumbnailOf(entry)} alt="" />
        </span>
        <span className={styles.text}>
          {/* Read as the path it is; the style sheet lifts the name above the folder. */}
          {split > 0 && <bdi className={styles.path}>{entry.name.slice(0, split)}</bdi>}
          <bdi className={styles.name}>
            {highlight(entry.name.slice(split), terms).map(({ text, isMatch }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one name never move
              <Fragment key={index}>{isMatch ? <mark>{text}</mark> : text}</Fragment>
            ))}
          </bdi>
        </span>
      </Link>
      <span className={styles.facts} aria-hidden="true">
        {size !== null && <bdi>{size}</bdi>}
        <time dateTime={entry.modified} title={formatExact(time)}>
          {modified}
        </time>
      </span>
      <IconButton
        icon="folder"
        label={t('search.showInFolder')}
        small
        tabIndex={-1}
        onClick={() => onShowInFolder(entry)}
      />
    </li>
  )
}

const thumbnailOf = (entry: FoundEntry): string | null =>
  startSettings.EnableThumbs && entry.type === 'image' && entry.size > 0 ? previewUrl('thumb', entry) : null
