import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import type { Uploads, UploadsView } from './engine.ts'
import styles from './JobList.module.css'
import { JobRow } from './JobRow.tsx'

const rowHeight = 60

/** As many rows as can be seen and some around them: of 100,000 files the page holds a few dozen. */
export function JobList({ uploads, view: { size, isPaused } }: { uploads: Uploads; view: UploadsView }) {
  const { t } = useTranslation()
  const scroller = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLUListElement>(null)
  // Rows are measured by their position, not by what stands there: that changes several times a second.
  const { getVirtualItems, getTotalSize } = useVirtualizer({
    count: size,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  const rows = getVirtualItems()
  const first = rows[0]?.index ?? 0
  const items = uploads.slice(first, first + rows.length)

  /** The row moves to where its new state belongs, and its button with it. The keyboard stays in the list. */
  function act(change: () => void) {
    list.current?.focus({ preventScroll: true })
    change()
  }

  return (
    <div ref={scroller} className={styles.scroller}>
      <ul
        ref={list}
        className={styles.list}
        style={{ blockSize: getTotalSize() }}
        aria-label={t('upload.list')}
        tabIndex={-1}
      >
        {items.map((item, index) => {
          const { id } = item.job
          const position = first + index
          return (
            <JobRow
              key={id}
              item={item}
              isPaused={isPaused}
              position={position + 1}
              count={size}
              offset={position * rowHeight}
              height={rowHeight}
              onRetry={() => act(() => void uploads.retry(id))}
              onCancel={() => act(() => uploads.cancel(id))}
            />
          )
        })}
      </ul>
    </div>
  )
}
