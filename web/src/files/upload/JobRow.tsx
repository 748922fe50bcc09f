import { nameOf, parentOf } from '@filestead/contract'
import { formatDecimal } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { withoutMarks } from '../../i18n/placeholders.ts'
import { folderAddress } from '../../navigation/addresses.ts'
import { Link } from '../../navigation/Link.tsx'
import { IconButton } from '../../ui/Button.tsx'
import { FileMark, Icon } from '../../ui/Icon.tsx'
import { Progress } from '../../ui/Progress.tsx'
import { markOf } from '../marks/mark-of.ts'
import { reveal } from './arrivals.ts'
import styles from './JobRow.module.css'
import type { Item } from './queue.ts'

interface JobRowProps {
  item: Item
  isPaused: boolean
  position: number
  count: number
  /** From the start of the list, in pixels. */
  offset: number
  onRetry: () => void
  onCancel: () => void
}

export function JobRow({ item, isPaused, position, count, offset, onRetry, onCancel }: JobRowProps) {
  const { t } = useTranslation()
  const { job, state } = item
  const { name } = job
  const isOver = state.status === 'done' || state.status === 'skipped'

  return (
    <li
      className={styles.row}
      style={{ transform: `translateY(${offset}px)` }}
      aria-label={name}
      aria-setsize={count}
      aria-posinset={position}
      data-state={state.status}
    >
      <FileMark name={markOf({ name, isDir: job.kind === 'folder' })} />
      <div className={styles.text}>
        <div className={styles.name} title={job.path}>
          <bdi>{name}</bdi>
        </div>
        {state.status === 'uploading' && (
          <span className={`file-progress ${styles.bar}`}>
            <Progress label={name} value={job.size === 0 ? 0 : (state.sent / job.size) * 100} />
          </span>
        )}
        <div className={styles.state}>
          <State item={item} isPaused={isPaused} />
        </div>
      </div>
      <div className={styles.end}>
        {state.status === 'done' && <Icon name="check" small />}
        {state.status === 'failed' && (
          <IconButton icon="retry" label={withoutMarks(t('upload.retry', { name }))} small onClick={onRetry} />
        )}
        {!isOver && <IconButton icon="x" label={withoutMarks(t('upload.cancel', { name }))} small onClick={onCancel} />}
      </div>
    </li>
  )
}

function State({ item: { job, state }, isPaused }: { item: Item; isPaused: boolean }) {
  const { t } = useTranslation()
  switch (state.status) {
    case 'queued':
      if (isPaused) return t('upload.paused')
      return t('upload.waiting', { size: formatDecimal(job.size) })
    case 'uploading':
      if (state.isWaiting) return t('upload.waitingForServer')
      return t('upload.sent', { sent: formatDecimal(state.sent), size: formatDecimal(job.size) })
    case 'failed':
      return <span title={state.reason}>{state.reason}</span>
    case 'skipped':
      return t(state.why === 'exists' ? 'upload.skipped' : 'upload.cancelled')
    case 'done': {
      const folder = parentOf(job.path)
      const name = folder === '/' ? t('frame.myFiles') : nameOf(folder)
      return (
        <Link
          to={folderAddress(folder)}
          className={styles.place}
          onClick={({ ctrlKey, metaKey, shiftKey }) => ctrlKey || metaKey || shiftKey || reveal(folder, job.name)}
        >
          {t('upload.inFolder', { folder: name })}
        </Link>
      )
    }
  }
}
