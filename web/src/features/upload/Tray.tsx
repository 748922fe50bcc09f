import { useEffect, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatMegabytes, formatPercent, formatSpeed } from '../../i18n/format.ts'
import { ask } from '../../prompts/prompts.ts'
import { IconButton } from '../../ui/Button.tsx'
import { Progress } from '../../ui/Progress.tsx'
import { AbortPrompt } from './AbortPrompt.tsx'
import { findInterrupted, useInterrupted } from './interrupted.ts'
import { JobList } from './JobList.tsx'
import { Offer } from './Offer.tsx'
import { liveHere } from './pages.ts'
import { formatCountdown, secondsLeft } from './speed.ts'
import styles from './Tray.module.css'
import { abortUploads, closeUploads, type UploadsView, useUploads } from './uploads.ts'

/** On a phone the list would cover what the person looks at. */
const startsOpen = () => !matchMedia('(max-width: 736px)').matches

/** All uploads in the corner of the page, from the first one until it is closed. */
export function Tray() {
  const { t } = useTranslation()
  const uploads = useUploads()
  const [isOpen, setIsOpen] = useState(startsOpen)
  const interrupted = useInterrupted()
  const listId = useId()

  useEffect(() => {
    liveHere()
    void findInterrupted()
  }, [])

  if (uploads.listed.length === 0 && interrupted.length === 0) return null
  if (uploads.listed.length === 0)
    return (
      <section ref={keepRoom} aria-label={t('upload.uploads')} className={styles.tray} data-open="false">
        <Offer interrupted={interrupted} />
      </section>
    )

  const { counts } = uploads.totals
  const percent = percentOf(uploads)
  return (
    <section
      ref={keepRoom}
      aria-label={t('upload.uploads')}
      className={`upload-files ${styles.tray}`}
      data-open={isOpen}
      data-busy={uploads.isBusy}
    >
      {uploads.isBusy && <TopBar percent={percent} />}
      {interrupted.length > 0 && <Offer interrupted={interrupted} />}
      <header className={styles.head}>
        <div className={styles.titleRow}>
          {uploads.isBusy ? <Heading count={counts.queued + counts.uploading} /> : <h2>{t('upload.finished')}</h2>}
          <IconButton
            icon={isOpen ? 'chevron-down' : 'chevron-up'}
            label={t('upload.toggleList')}
            small
            aria-expanded={isOpen}
            aria-controls={listId}
            onClick={() => setIsOpen(!isOpen)}
          />
          {uploads.isBusy ? (
            <IconButton icon="x" label={t('upload.abortUpload')} small onClick={() => void abort(uploads)} />
          ) : (
            <IconButton icon="x" label={t('upload.close')} small onClick={close} />
          )}
        </div>
        <Progress
          label={t('upload.progress')}
          value={percent}
          text={formatPercent(percent / 100, 2)}
          isFailed={counts.failed > 0 && !uploads.isBusy}
        />
        <Statistics uploads={uploads} percent={percent} />
      </header>
      <div id={listId} hidden={!isOpen}>
        {isOpen && <JobList ids={uploads.listed} />}
      </div>
    </section>
  )
}

/** On a phone the folded tray stands below the page, not before its buttons: the page gives up as much room. */
function keepRoom(tray: HTMLElement | null) {
  if (tray === null) return
  const { style } = document.documentElement
  const observer = new ResizeObserver(() => {
    if (tray.dataset.open === 'false') style.setProperty('--tray-h', `${tray.offsetHeight}px`)
  })
  observer.observe(tray)
  return () => {
    observer.disconnect()
    style.removeProperty('--tray-h')
  }
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

function Statistics({ uploads: { totals, speed, isBusy }, percent }: { uploads: UploadsView; percent: number }) {
  const { t } = useTranslation()
  const { failed, done } = totals.counts
  const left = isBusy ? secondsLeft(totals.bytes - totals.sent, speed) : null
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
        {isBusy ? (
          <>
            <span className="upload-speed" data-testid="upload-speed">
              <bdi>{formatSpeed(speed)}</bdi>
            </span>
            <span className="upload-eta" data-testid="upload-eta">
              <bdi>{formatCountdown(left)}</bdi>
            </span>
          </>
        ) : (
          <span data-failed={failed > 0}>
            {failed > 0 ? t('upload.failedCount', { count: failed }) : t('upload.doneCount', { count: done })}
          </span>
        )}
      </span>
    </div>
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

/** By bytes; empty files have none, so then by heads. */
function percentOf({ totals: { bytes, sent, counts } }: UploadsView): number {
  if (bytes > 0) return Math.min(100, (sent / bytes) * 100)
  const all = counts.done + counts.uploading + counts.queued
  return all === 0 ? 0 : (counts.done / all) * 100
}

async function abort({ totals: { counts } }: UploadsView): Promise<void> {
  const isMeant = await ask(AbortPrompt, { count: counts.queued + counts.uploading })
  if (isMeant === null) return
  await abortUploads()
  focusContent()
}

function close(): void {
  closeUploads()
  focusContent()
}

/** The button under the finger is gone; the keyboard goes on where the files are. */
const focusContent = (): void => document.getElementById('content')?.focus()
