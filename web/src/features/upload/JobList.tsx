import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import styles from './JobList.module.css'
import { JobRow } from './JobRow.tsx'
import { cancelUpload, findUpload, retryUpload } from './uploads.ts'

const rowHeight = 60

/** As many rows as can be seen and some around them: of 20,000 files the page holds a few dozen. */
export function JobList({ ids }: { ids: readonly string[] }) {
  const { t } = useTranslation()
  const scroller = useRef<HTMLDivElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const { getVirtualItems, getTotalSize } = useVirtualizer({
    count: ids.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => ids[index] ?? index,
    overscan: 12,
  })

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
        {getVirtualItems().map(({ key, index, start }) => {
          const item = findUpload(ids[index] ?? '')
          if (item === undefined) return null
          return (
            <JobRow
              key={key}
              item={item}
              position={index + 1}
              count={ids.length}
              offset={start}
              onRetry={() => act(() => void retryUpload(item.job.id))}
              onCancel={() => act(() => cancelUpload(item.job.id))}
            />
          )
        })}
      </ul>
    </div>
  )
}
