import { isOver, type Job, nameOf, parentOf } from '@filestead/contract'
import { ask } from '../dialogs/ask.ts'
import { showFailure } from '../dialogs/show-failure.ts'
import { t } from '../i18n/i18n.ts'
import { folderAddress } from '../navigation/addresses.ts'
import { navigate } from '../navigation/location.ts'
import { jobs } from '../server/live/jobs.ts'
import { refreshUsage } from '../server/operations/operation.ts'
import { personalItem } from '../state/personal-storage.ts'
import { perSession } from '../state/session-scope.ts'
import { createStore, type Store } from '../state/store.ts'
import { closeToast, toastOffer } from '../ui/toasts.ts'
import { revealWhenListed } from '../workspace/workspace.ts'
import { type Activity, type ActivityStatus, addActivity } from './activities.ts'
import { answerJob } from './answers.ts'
import { watchOutage } from './job-outage.ts'
import { jobName, jobProgress, jobText, jobTitle, shareOf } from './job-texts.ts'
import { followJob, jobActions, jobOf } from './jobs.ts'
import { endedJob, showBadge } from './notices.ts'
import { WorkDialog } from './WorkDialog.tsx'

/** What is over sooner is not shown while it lasts, in milliseconds. */
const shownAfter = 500
/** What took longer stays in the tray until it is dismissed, in seconds. */
const longJob = 10

/** The end of the last job that this browser has shown: those that ended before are not shown again. */
const lastSeen = personalItem('jobs-seen')

interface Shown {
  readonly activity: Activity & { readonly job: Store<Job> }
  readonly status: Store<ActivityStatus>
  takeOut(): void
}

/** Puts jobs into the tray: those that last, from whichever device, and those that have ended and took long. */
const listing = perSession((scope) => {
  const shown = new Map<string, Shown>()
  /** When this page heard of each job. What was under way before that is shown at once. */
  const heardAt = new Map<string, number>()
  /** Jobs that have ended while the page was in the background, or that the tray showed as they failed. */
  const kept = new Set<string>()
  /** The toasts about questions of jobs. */
  const asked = new Map<string, number>()
  const seenBefore = Number(lastSeen.read() ?? 0)
  let isFirst = true

  function update(): void {
    const known = jobs.get()
    if (scope.signal.aborted || known === null) return
    for (const job of known.toReversed()) {
      if (!heardAt.has(job.id)) {
        heardAt.set(job.id, isFirst ? Number.NEGATIVE_INFINITY : performance.now())
        if (!isFirst && !isOver(job.state)) setTimeout(update, shownAfter)
      }
      const own = shown.get(job.id)
      if (own !== undefined && isOver(job.state) && !isOver(own.activity.job.get().state)) {
        if (document.hidden || job.state === 'failed') kept.add(job.id)
        endedJob(job)
        // It may have been begun on another device.
        refreshUsage()
      }
      tellAsked(job)
      if (isShown(job)) show(job)
      else hide(job.id)
    }
    const ids = new Set(known.map(({ id }) => id))
    for (const id of [...shown.keys()]) if (!ids.has(id)) hide(id)
    isFirst = false
    showBadge(known.filter(({ state }) => state === 'running' || state === 'asking').length)
  }

  /** A question is told once. The tray has them all; the latest is told beside it, where many would cover the page. */
  function tellAsked(job: Job): void {
    const isAsked = !isOver(job.state) && job.conflicts.length > 0
    if (!isAsked) {
      closeToast(asked.get(job.id) ?? 0)
      asked.delete(job.id)
    } else if (!asked.has(job.id)) {
      for (const toast of asked.values()) closeToast(toast)
      const action = { label: t('jobs.answer'), run: () => answerJob(jobOf(job.id) ?? job) }
      asked.set(job.id, toastOffer(t('jobs.askingToast', { title: jobTitle(job) }), action, 'question'))
    }
  }

  function isShown(job: Job): boolean {
    if (!isOver(job.state)) return performance.now() - (heardAt.get(job.id) ?? 0) >= shownAfter
    if (job.state === 'cancelled') return false
    if (kept.has(job.id)) return true
    const { createdAt, endedAt = createdAt } = job
    return endedAt - createdAt >= longJob && (job.state === 'failed' || endedAt > seenBefore)
  }

  function show(job: Job): void {
    const own = shown.get(job.id)
    if (own === undefined) shown.set(job.id, added(job))
    else if (own.activity.job.get() !== job) {
      own.activity.job.set(job)
      own.status.set(statusOf(job))
    }
    const { endedAt = 0 } = job
    if (endedAt > Number(lastSeen.read() ?? 0) && !document.hidden) lastSeen.note(String(endedAt))
  }

  function hide(id: string): void {
    shown.get(id)?.takeOut()
    shown.delete(id)
  }

  watchOutage()
  const stop = jobs.subscribe(update)
  scope.onEnd(() => {
    stop()
    showBadge(0)
  })
  return update
})

/** From now on the jobs of the session are in the tray. */
export const listJobs = (): void => listing()()

function added(first: Job): Shown {
  const [job, status] = [createStore(first), createStore(statusOf(first))]
  const activity = { ...jobActivity(first.id), status, job }
  return { activity, status, takeOut: addActivity(activity) }
}

export function statusOf(job: Job): ActivityStatus {
  const state = isOver(job.state) ? 'over' : job.state === 'queued' || job.state === 'asking' ? 'waiting' : job.state
  return {
    title: jobName(job),
    text: jobText(job),
    share: shareOf(job),
    progress: jobProgress(job),
    isAsking: !isOver(job.state) && job.conflicts.length > 0,
    state: state as ActivityStatus['state'],
  }
}

/** What can be done about a job of the person. */
const jobActivity = (id: string): Omit<Activity, 'status'> => ({
  kind: jobOf(id)?.kind ?? 'copy',
  ...jobActions(id),
  show: () => void showJob(id).catch(showFailure),
})

/** Goes to what the job makes; where it makes nothing, the dialog tells how far it is. */
async function showJob(id: string): Promise<void> {
  const job = jobOf(id)
  if (job === undefined) return
  const { kind, to, names } = job
  if (kind === 'delete') {
    const status = createStore(statusOf(job))
    const stop = jobs.subscribe(() => status.set(statusOf(jobOf(id) ?? job)))
    const finished = followJob(job).then(() => {})
    await ask(WorkDialog, { activity: { ...jobActivity(id), status }, finished })
    return stop()
  }
  if (to === undefined) return
  const isFile = kind === 'compress' || kind === 'checksum'
  const folder = isFile ? parentOf(to) : to
  revealWhenListed(folder, isFile ? [nameOf(to)] : names)
  await navigate(folderAddress(folder))
}
