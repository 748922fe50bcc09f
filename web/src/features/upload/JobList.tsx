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
  const list = useRef<HTMLUListElement>(null)
  const { getVirtualItems, getTotalSize } = useVirtualizer({
    count: ids.length,
    getScrollElement: () => list.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => ids[index] ?? index,
    overscan: 12,
  })

  /** The row moves to where its new state belongs, and its button with it. The keyboard stays in the list. */
  function act(change: () => void) {
    list.current?.focus()
    change()
  }

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must be able to reach it
    <ul ref={list} className={styles.list} aria-label={t('upload.list')} tabIndex={0}>
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
      <li className={styles.rest} role="presentation" style={{ blockSize: getTotalSize() }} />
    </ul>
  )
}
