import { type Activity, type ActivityStatus, addActivity } from '../../activity/activities.ts'
import { focusContent } from '../../activity/tray.ts'
import { ask } from '../../dialogs/ask.ts'
import { Confirmation } from '../../dialogs/Confirmation.tsx'
import { t } from '../../i18n/i18n.ts'
import { folderAddress } from '../../navigation/addresses.ts'
import { navigate } from '../../navigation/location.ts'
import { perSession } from '../../state/session-scope.ts'
import { createStore } from '../../state/store.ts'
import { reveal } from './arrivals.ts'
import { type Uploads, type UploadsView, uploads } from './engine.ts'
import { interruptedUploads } from './resume.ts'
import { UploadPanel } from './UploadPanel.tsx'

/** Uploads are in the tray as long as some are listed, or interrupted ones could go on. */
const listing = perSession((scope) => {
  const own = uploads(scope)
  const status = createStore(statusOf(own.view.get()))
  const activity: Activity = {
    kind: 'upload',
    status,
    Panel: UploadPanel,
    pause: () => own.pause(),
    resume: () => own.resume(),
    retry: () => void own.retry(),
    cancel: () => void abort(own),
    show: () => showResult(own),
  }
  let takeOut: (() => void) | null = null
  function update() {
    if (scope.signal.aborted) return
    status.set(statusOf(own.view.get()))
    const isNeeded = own.view.get().size > 0 || interruptedUploads.get().length > 0
    if (isNeeded) takeOut ??= addActivity(activity)
    else {
      takeOut?.()
      takeOut = null
    }
  }
  const stops = [own.view.subscribe(update), interruptedUploads.subscribe(update)]
  scope.onEnd(() => {
    for (const stop of stops) stop()
  })
  return update
})

/** From now on the uploads of the session are in the tray. */
export const listUploads = (): void => listing()()

function statusOf(view: UploadsView): ActivityStatus {
  const { isBusy, isPaused, isWaiting, totals } = view
  const { queued, uploading, done, failed } = totals.counts
  const count = queued + uploading + done + failed
  return {
    title: isBusy ? t('upload.uploading', { count }) : t('upload.finished'),
    text: '',
    progress: progressOf(view),
    state: !isBusy ? 'over' : isPaused ? 'paused' : isWaiting ? 'waiting' : 'running',
  }
}

/** By bytes; empty files have none, so then by number. */
function progressOf({ totals: { bytes, sent, counts }, isBusy }: UploadsView): number {
  // What failed has no bytes any more; at the end it counts all the same.
  if (!isBusy && counts.failed > 0) return counts.done / (counts.done + counts.failed)
  if (bytes > 0) return Math.min(1, sent / bytes)
  const all = counts.done + counts.uploading + counts.queued
  return all === 0 ? 0 : counts.done / all
}

async function abort(own: Uploads): Promise<void> {
  const { queued, uploading } = own.view.get().totals.counts
  const count = queued + uploading
  const isMeant = await ask(Confirmation, {
    title: t('upload.abortUpload'),
    text: count === 1 ? t('upload.abortQuestionOne') : t('upload.abortQuestion', { count }),
    cancel: t('buttons.cancel'),
    confirm: t('upload.abort'),
  })
  if (isMeant === null) return
  void own.abort()
  focusContent()
}

/** Goes to the folder that the last files were sent to, and selects them there. */
function showResult(own: Uploads): void {
  const result = own.result()
  if (result === null) return
  if (!reveal(result.folder, result.names)) void navigate(folderAddress(result.folder))
}
