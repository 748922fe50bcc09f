import { useId } from 'react'
import type { Activity } from '../../activity/activities.ts'
import { focusContent, useTray } from '../../activity/tray.ts'
import { formatMegabytes, formatPercent, formatSpeed } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { useScope } from '../../state/session-scope.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { Progress } from '../../ui/Progress.tsx'
import { type UploadsView, uploads as uploadsOf } from './engine.ts'
import { JobList } from './JobList.tsx'
import { ResumeOffer } from './ResumeOffer.tsx'
import { interruptedUploads } from './resume.ts'
import { formatCountdown, secondsLeft } from './speed.ts'
import styles from './UploadPanel.module.css'

/** All uploads, from the first one until the list is closed, and those that a page left behind. */
export function UploadPanel({ activity }: { activity: Activity }) {
  const { t } = useTranslation()
  const uploads = uploadsOf(useScope())
  const view = uploads.view.use()
  const { progress } = activity.status.use()
  const interrupted = interruptedUploads.use()
  const { isOpen, setIsOpen } = useTray()
  const listId = useId()

  if (view.size === 0)
    return (
      <section aria-label={t('upload.uploads')}>
        <ResumeOffer interrupted={interrupted} />
      </section>
    )

  const { isBusy, isPaused, totals } = view
  const { counts } = totals
  const percent = (progress ?? 0) * 100
  function close() {
    uploads.close()
    focusContent()
  }

  return (
    <section aria-label={t('upload.uploads')} className="upload-files" data-busy={isBusy}>
      {isBusy && <TopBar percent={percent} />}
      {interrupted.length > 0 && <ResumeOffer interrupted={interrupted} />}
      <header className={styles.head}>
        <div className={styles.titleRow}>
          {isBusy ? <Heading count={counts.queued + counts.uploading} /> : <h2>{t('upload.finished')}</h2>}
          {isBusy && (
            <IconButton
              icon={isPaused ? 'play' : 'pause'}
              label={t('upload.pause')}
              small
              aria-pressed={isPaused}
              onClick={() => (isPaused ? activity.resume?.() : activity.pause?.())}
            />
          )}
          {!isBusy && counts.done > 0 && (
            <IconButton icon="folder" label={t('upload.show')} small onClick={() => activity.show?.()} />
          )}
          <IconButton
            icon={isOpen ? 'chevron-down' : 'chevron-up'}
            label={t('upload.toggleList')}
            small
            aria-expanded={isOpen}
            aria-controls={listId}
            onClick={() => setIsOpen(!isOpen)}
          />
          {isBusy ? (
            <IconButton icon="x" label={t('upload.abortUpload')} small onClick={() => activity.cancel()} />
          ) : (
            <IconButton icon="x" label={t('upload.close')} small onClick={close} />
          )}
        </div>
        <Progress
          label={t('upload.progress')}
          value={percent}
          text={formatPercent(percent / 100, 2)}
          isFailed={counts.failed > 0 && !isBusy}
        />
        <Statistics view={view} percent={percent} />
        {counts.failed > 0 && (
          <div className={styles.failed}>
            {isBusy && <span data-failed="true">{t('upload.failedCount', { count: counts.failed })}</span>}
            <Button look="line" size="small" icon="retry" onClick={() => activity.retry?.()}>
              {t('upload.retryAll')}
            </Button>
          </div>
        )}
      </header>
      <div id={listId} hidden={!isOpen}>
        {isOpen && <JobList uploads={uploads} view={view} />}
      </div>
    </section>
  )
}

/** In English scripts know it by "Uploading {n} files", whatever the number is; the eye reads "1 file". */
function Heading({ count }: { count: number }) {
  const { t, i18n } = useTranslation()
  const name =
    i18n.language === 'en'
      ? t('upload.uploading', { count: Math.max(count, 2), replace: { count: String(count) } })
      : null
  return <h2 {...(name !== null && { 'aria-label': name })}>{t('upload.uploading', { count })}</h2>
}

function Statistics({ view, percent }: { view: UploadsView; percent: number }) {
  const { totals } = view
  return (
    <div className={styles.numbers}>
      <b className="upload-percentage" data-testid="upload-percentage">
        <bdi>{formatPercent(percent / 100, 2)}</bdi>
      </b>
      <span className="upload-fraction" data-testid="upload-fraction">
        <bdi>
          {formatMegabytes(totals.sent)} / {formatMegabytes(totals.bytes)}
        </bdi>
      </span>
      <span className={styles.end}>
        <Pace view={view} />
      </span>
    </div>
  )
}

/** How fast it goes, or why it does not. */
function Pace({ view: { totals, speed, isBusy, isPaused, isWaiting } }: { view: UploadsView }) {
  const { t } = useTranslation()
  const { failed, done } = totals.counts
  if (!isBusy)
    return (
      <span data-failed={failed > 0}>
        {failed > 0 ? t('upload.failedCount', { count: failed }) : t('upload.doneCount', { count: done })}
      </span>
    )
  if (isPaused) return <span>{t('upload.paused')}</span>
  if (isWaiting) return <span data-waiting="true">{t('upload.waitingForServer')}</span>
  return (
    <>
      <span className="upload-speed" data-testid="upload-speed">
        <bdi>{formatSpeed(speed)}</bdi>
      </span>
      <span className="upload-eta" data-testid="upload-eta">
        <bdi>{formatCountdown(secondsLeft(totals.bytes - totals.sent, speed))}</bdi>
      </span>
    </>
  )
}

/** A thin line at the very top, seen from everywhere. */
function TopBar({ percent }: { percent: number }) {
  const { t } = useTranslation()
  return (
    <div
      className={`progress ${styles.topBar}`}
      role="progressbar"
      aria-label={t('upload.topBar')}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(percent)}
    >
      <div className={styles.topBarFill} style={{ inlineSize: `${percent}%` }} />
    </div>
  )
}
