import { type RefObject, useEffect, useId, useRef } from 'react'
import type { Activity } from '../../activity/activities.ts'
import { formatDuration, formatSpeed } from '../../activity/pace.ts'
import { focusContent, restTray, useTray } from '../../activity/tray.ts'
import { formatNumber, formatPercent, formatRoughSize } from '../../i18n/format.ts'
import { useTranslation } from '../../i18n/i18n.ts'
import { useScope } from '../../state/session-scope.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { Progress } from '../../ui/Progress.tsx'
import { type UploadsView, uploads as uploadsOf } from './engine.ts'
import { JobList } from './JobList.tsx'
import { ResumeOffer } from './ResumeOffer.tsx'
import { interruptedUploads } from './resume.ts'
import { secondsLeft } from './speed.ts'
import styles from './UploadPanel.module.css'

/** All uploads, from the first one until the list is closed, and those that a page left behind. */
export function UploadPanel({ activity }: { activity: Activity }) {
  const { t } = useTranslation()
  const uploads = uploadsOf(useScope())
  const view = uploads.view.use()
  const { progress } = activity.status.use()
  const interrupted = interruptedUploads.use()
  const { isOpen, setIsOpen } = useTray('uploads')
  const listId = useId()
  const panel = useRef<HTMLElement>(null)
  useRest(view, panel)

  if (view.size === 0)
    return (
      <section aria-label={t('upload.uploads')}>
        <ResumeOffer interrupted={interrupted} />
      </section>
    )

  const { isBusy, isPaused, totals } = view
  const { counts } = totals
  const percent = (progress ?? 0) * 100
  const label = isBusy ? t('upload.uploading', { count: countOf(view) }) : t('upload.finished')
  function close() {
    uploads.close()
    focusContent()
  }

  return (
    <section ref={panel} aria-label={t('upload.uploads')} className="upload-files" data-busy={isBusy}>
      {isBusy && <TopBar percent={percent} />}
      {interrupted.length > 0 && <ResumeOffer interrupted={interrupted} />}
      <header className={styles.head}>
        <div className={styles.titleRow}>
          <Heading view={view} label={label} />
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
          text={formatPercent(percent / 100)}
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

/** How many are to arrive, skipped ones left out. It stays the same while they do. */
const countOf = ({ totals: { counts } }: UploadsView): number =>
  counts.queued + counts.uploading + counts.done + counts.failed

/** How long the list stays unfolded after everything has arrived, in milliseconds. */
const restAfter = 8000

/** Folds the list a while after all has ended well, unless the pointer or the keyboard is there. */
function useRest({ isBusy, totals }: UploadsView, panel: RefObject<HTMLElement | null>): void {
  const hasEndedWell = !isBusy && totals.counts.failed === 0 && totals.counts.done > 0
  useEffect(() => {
    restTray(false)
    if (!hasEndedWell) return
    const timer = setInterval(() => {
      const element = panel.current
      if (element?.matches(':hover, :focus-within') === true) return
      clearInterval(timer)
      restTray(true)
    }, restAfter)
    return () => clearInterval(timer)
  }, [hasEndedWell, panel])
}

/**
 * What failed is in the heading, and the name of the heading still says that the uploads are over. In English scripts
 * know it by "Uploading {n} files", whatever the number is; the eye reads "1 file".
 */
function Heading({ view, label }: { view: UploadsView; label: string }) {
  const { t, i18n } = useTranslation()
  const { failed } = view.totals.counts
  const count = countOf(view)
  if (!view.isBusy && failed > 0) {
    const text = t('upload.notUploaded', { failed: formatNumber(failed), total: formatNumber(count) })
    return <h2 aria-label={`${label}: ${text}`}>{text}</h2>
  }
  const isOddName = view.isBusy && count === 1 && i18n.language === 'en'
  const name = isOddName ? t('upload.uploading', { count: 2, replace: { count: '1' } }) : undefined
  return <h2 aria-label={name}>{label}</h2>
}

/** First what people ask: how many of how many, and how long still. Then the numbers behind it. */
function Statistics({ view, percent }: { view: UploadsView; percent: number }) {
  const { t } = useTranslation()
  const { totals, isBusy, isPaused, isWaiting, attempt, speed } = view
  const { done } = totals.counts
  if (!isBusy)
    return (
      <p className={styles.numbers}>
        <span>{t('upload.doneCount', { count: done })}</span>
        {totals.sent > 0 && (
          <span>
            <bdi>{formatRoughSize(totals.sent)}</bdi>
          </span>
        )}
      </p>
    )
  const isMoving = !isPaused && !isWaiting && attempt === null
  return (
    <>
      <p className={styles.lead}>
        <span data-testid="upload-count">
          {t('upload.sent', { sent: formatNumber(done), size: formatNumber(countOf(view)) })}
        </span>
        <Pace view={view} />
      </p>
      <p className={styles.numbers}>
        <span className="upload-percentage" data-testid="upload-percentage">
          <bdi>{formatPercent(percent / 100)}</bdi>
        </span>
        <span className="upload-fraction" data-testid="upload-fraction">
          <bdi>{t('upload.sent', { sent: formatRoughSize(totals.sent), size: formatRoughSize(totals.bytes) })}</bdi>
        </span>
        {isMoving && speed >= 1 && (
          <span className="upload-speed" data-testid="upload-speed">
            <bdi>{formatSpeed(speed)}</bdi>
          </span>
        )}
      </p>
    </>
  )
}

/** How long it takes still, or why nothing moves. */
function Pace({ view: { totals, speed, isPaused, isWaiting, attempt } }: { view: UploadsView }) {
  const { t } = useTranslation()
  if (isPaused) return <span>{t('upload.paused')}</span>
  if (isWaiting) return <span data-waiting="true">{t('upload.waitingForServer')}</span>
  if (attempt !== null) return <span data-waiting="true">{t('upload.tryingAgain', { ...attempt })}</span>
  const seconds = secondsLeft(totals.bytes - totals.sent, speed)
  if (seconds === null || seconds > longestTold) return null
  return (
    <span className="upload-eta" data-testid="upload-eta">
      {t('upload.left', { time: formatDuration(seconds) })}
    </span>
  )
}

/** More than that is not worth telling, in seconds. */
const longestTold = 100 * 3600

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
