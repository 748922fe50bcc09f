import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useRef } from 'react'
import { describeFailure } from '../../dialogs/show-failure.ts'
import { formatExact, formatSize } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { withoutMarks } from '../../i18n/placeholders.ts'
import { Button, Spinner } from '../../ui/Button.tsx'
import { FileMark } from '../../ui/Icon.tsx'
import { Badge } from '../../ui/Table.tsx'
import { markOf } from '../marks/mark-of.ts'
import type { PastEntry } from './folder-entries.ts'
import { entryOf } from './moments.ts'
import styles from './PastEntries.module.css'

interface PastEntriesProps {
  label: string
  entries: readonly PastEntry[]
  picked: ReadonlySet<string>
  isLoading: boolean
  error: Error | null
  emptyText: string
  onRetry(): void
  onPick(names: ReadonlySet<string>): void
  onOpen(entry: PastEntry): void
}

const rowHeight = 44

/** Rows to open and to tick. Those out of view are not drawn: a folder may have held a hundred thousand entries. */
export function PastEntries(props: PastEntriesProps) {
  const { label, entries, picked, isLoading, error, emptyText, onRetry, onPick, onOpen } = props
  const { t } = useTranslation()
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  })
  const pickedHere = entries.filter(({ name }) => picked.has(name)).length

  function toggle(name: string) {
    const next = new Set(picked)
    if (!next.delete(name)) next.add(name)
    onPick(next)
  }

  /** To the row above or below, also one that is not drawn yet. */
  function onKeyDown(event: KeyboardEvent) {
    const steps: Partial<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }
    const by = steps[event.key]
    const row = (event.target as Element).closest('[data-index]')
    if (by === undefined || row === null) return
    event.preventDefault()
    const to = Math.min(Math.max(Number(row.getAttribute('data-index')) + by, 0), entries.length - 1)
    rows.scrollToIndex(to)
    requestAnimationFrame(() => {
      scroller.current?.querySelector<HTMLElement>(`[data-index="${to}"] button`)?.focus()
    })
  }

  if (error !== null)
    return (
      <div className={styles.message} role="alert">
        <p>{describeFailure(error)}</p>
        <Button look="line" icon="retry" onClick={onRetry}>
          {t('buttons.tryAgain')}
        </Button>
      </div>
    )
  if (isLoading)
    return (
      <div className={styles.message} role="status" aria-label={t('history.loading')}>
        <Spinner />
      </div>
    )
  if (entries.length === 0) return <p className={styles.message}>{emptyText}</p>
  return (
    <>
      <label className={styles.all}>
        <input
          type="checkbox"
          className={styles.check}
          ref={(box) => {
            if (box !== null) box.indeterminate = pickedHere > 0 && pickedHere < entries.length
          }}
          checked={pickedHere === entries.length}
          onChange={({ target }) => onPick(new Set(target.checked ? entries.map(({ name }) => name) : []))}
        />
        {pickedHere > 0 ? t('files.selected', { count: pickedHere }) : t('history.selectAll')}
      </label>
      <div ref={scroller} className={styles.scroller}>
        <ul
          aria-label={withoutMarks(label)}
          className={styles.rows}
          style={{ blockSize: rows.getTotalSize() }}
          onKeyDown={onKeyDown}
        >
          {rows.getVirtualItems().map(({ index, start }) => {
            const entry = entries[index]
            return (
              entry && (
                <li
                  key={entry.name}
                  data-index={index}
                  aria-setsize={entries.length}
                  aria-posinset={index + 1}
                  className={styles.row}
                  data-change={entry.change ?? undefined}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  <Row
                    entry={entry}
                    isPicked={picked.has(entry.name)}
                    onToggle={() => toggle(entry.name)}
                    onOpen={() => onOpen(entry)}
                  />
                </li>
              )
            )
          })}
        </ul>
      </div>
    </>
  )
}

interface RowProps {
  entry: PastEntry
  isPicked: boolean
  onToggle(): void
  onOpen(): void
}

function Row({ entry, isPicked, onToggle, onOpen }: RowProps) {
  const { t } = useTranslation()
  const { name, size, isDir, modified, change } = entry
  return (
    <>
      <input
        type="checkbox"
        className={styles.check}
        aria-label={withoutMarks(t('files.select', { name }))}
        checked={isPicked}
        onChange={onToggle}
      />
      <button type="button" className={styles.name} title={name} onClick={onOpen}>
        <FileMark name={markOf(entryOf(entry.path, entry))} />
        <bdi>{name}</bdi>
      </button>
      {change !== null && (
        <Badge look={change === 'gone' ? 'warn' : 'accent'}>
          {t(change === 'gone' ? 'history.gone' : 'history.different')}
        </Badge>
      )}
      <span className={styles.size}>{!isDir && size !== undefined && formatSize(size)}</span>
      <time className={styles.modified} dateTime={modified}>
        {formatExact(new Date(modified))}
      </time>
    </>
  )
}
