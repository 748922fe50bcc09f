import { nameOf, parentOf } from '@filestead/contract'
import { TrayRow } from '../../activity/TrayRow.tsx'
import { formatRoughSize } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { withoutMarks } from '../../i18n/placeholders.ts'
import { folderAddress } from '../../navigation/addresses.ts'
import { Link } from '../../navigation/Link.tsx'
import { IconButton } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Progress } from '../../ui/Progress.tsx'
import { reveal } from './arrivals.ts'
import { JobPicture } from './JobPicture.tsx'
import styles from './JobRow.module.css'
import type { Item } from './queue.ts'

interface JobRowProps {
  item: Item
  isPaused: boolean
  position: number
  count: number
  /** From the start of the list, in pixels. */
  offset: number
  height: number
  onRetry: () => void
  onCancel: () => void
}

export function JobRow({ item, isPaused, position, count, offset, height, onRetry, onCancel }: JobRowProps) {
  const { t } = useTranslation()
  const { job, state } = item
  const { name } = job
  const isOver = state.status === 'done' || state.status === 'skipped'

  return (
    <TrayRow
      label={name}
      style={{ position: 'absolute', insetInline: 0, insetBlockStart: offset, blockSize: height }}
      aria-setsize={count}
      aria-posinset={position}
      data-state={state.status}
      picture={<JobPicture job={job} />}
      title={<bdi title={job.path}>{name}</bdi>}
      bar={
        state.status === 'uploading' && (
          <div className="file-progress">
            <Progress label={name} value={job.size === 0 ? 0 : (state.sent / job.size) * 100} />
          </div>
        )
      }
      state={<State item={item} isPaused={isPaused} />}
      end={
        <>
          {state.status === 'done' && (
            <span className={styles.done}>
              <Icon name="check" small />
            </span>
          )}
          {state.status === 'failed' && (
            <IconButton icon="retry" label={withoutMarks(t('upload.retry', { name }))} small onClick={onRetry} />
          )}
          {!isOver && (
            <IconButton icon="x" label={withoutMarks(t('upload.cancel', { name }))} small onClick={onCancel} />
          )}
        </>
      }
    />
  )
}

function State({ item: { job, state }, isPaused }: { item: Item; isPaused: boolean }) {
  const { t } = useTranslation()
  switch (state.status) {
    case 'queued':
      if (isPaused) return t('upload.paused')
      return t('upload.waiting', { size: formatRoughSize(job.size) })
    case 'uploading':
      if (state.isWaiting) return t('upload.waitingForServer')
      if (state.attempt !== undefined) return t('upload.tryingAgain', { ...state.attempt })
      return t('upload.sent', { sent: formatRoughSize(state.sent), size: formatRoughSize(job.size) })
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
          className={styles.folder}
          onClick={({ ctrlKey, metaKey, shiftKey }) => ctrlKey || metaKey || shiftKey || reveal(folder, job.name)}
        >
          {t('upload.inFolder', { folder: name })}
        </Link>
      )
    }
  }
}
