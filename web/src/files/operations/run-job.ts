import { isOver, type Job, type JobRequest, mostJobItems, nameOf } from '@filestead/contract'
import type { ActivityStatus } from '../../activity/activities.ts'
import { answerJob } from '../../activity/answers.ts'
import { statusOf } from '../../activity/job-activities.ts'
import { isWaiting as isServerAway } from '../../activity/job-outage.ts'
import { controlJob, followJob, jobOf } from '../../activity/jobs.ts'
import { showFailure } from '../../dialogs/show-failure.ts'
import { t } from '../../i18n/i18n.ts'
import { ApiError, isAbort } from '../../server/client.ts'
import { jobs as knownJobs, noteJob } from '../../server/live/jobs.ts'
import { Outages } from '../../server/outages.ts'
import { startJob } from '../../server/queries/jobs.ts'
import { newBatch } from '../../server/queries/resources.ts'
import { isGuest } from '../../server/session.ts'
import { createStore } from '../../state/store.ts'
import { beginWork } from '../../state/work.ts'
import { announce } from '../../ui/live-status.ts'
import { type JobOutcome, outcomeOf, together } from './outcome.ts'
import { untilStalled } from './until-stalled.ts'
import { shownAfter, workView } from './work-view.ts'

interface JobOptions {
  title: string
  /** The session in which it was wanted. */
  session: AbortSignal
}

/** How often a request that gets no answer is made again where the server is well otherwise. */
const tries = 2

/**
 * Has the server do one thing to many entries, and waits for the end. When it takes long, a dialog shows how far it is;
 * folded up, it is in the tray. The work goes on without this page, and without this session: the promise is rejected when
 * that ends.
 */
export async function runJob<Item extends { path: string }>(
  items: readonly Item[],
  requestFor: (items: readonly Item[]) => JobRequest,
  { title, session }: JobOptions,
): Promise<JobOutcome<Item>> {
  session.throwIfAborted()
  const requests = chunksOf(items).map((own) => ({ items: own, request: requestFor(own) }))
  const { kind } = requests[0]?.request ?? { kind: 'copy' as const }
  const first = t('change.workDone', { done: 0, total: items.length })
  const status = createStore<ActivityStatus>({ title, text: first, progress: 0, state: 'running' })
  const stopping = new AbortController()
  const signal = AbortSignal.any([stopping.signal, session])
  const begun: string[] = []
  const jobsBefore = new Set(knownJobs.get()?.map(({ id }) => id))
  /** Of a job that was asked for the server may tell before the answer comes. */
  function known(): Job[] {
    const next = requests[begun.length]?.items
    const isNext = (job: Job) =>
      job.kind === kind && job.count === next?.length && job.names[0] === nameOf(next[0]?.path ?? '')
    return (knownJobs.get() ?? []).filter((job) => begun.includes(job.id) || (!jobsBefore.has(job.id) && isNext(job)))
  }
  let isEnded = false

  function onWaiting(isWaiting: boolean): void {
    const text = t('upload.waitingForServer')
    if (isWaiting) announce(text)
    isServerAway.set(isWaiting)
    status.set({ ...status.get(), text: isWaiting ? text : first, state: isWaiting ? 'waiting' : 'running' })
  }

  /** What is asked of the server once must not be done twice: the id tells it that it is the same. */
  async function begin(request: JobRequest): Promise<{ job: Job; wasLost: boolean }> {
    const outages = new Outages({ signal, onWaiting }, tries)
    const id = newBatch()
    for (let wasLost = false; ; wasLost = true) {
      const askedAt = performance.now()
      try {
        // Of a guest the work ends with the request. Else it may have begun already: it is cancelled once it is known.
        const lasting = isGuest() ? signal : session
        const job = await untilStalled((alive) => startJob({ ...request, id }, alive), lasting)
        begun.push(job.id)
        if (!isOver(job.state)) noteJob(job, askedAt)
        return { job, wasLost }
      } catch (error) {
        const isLost = error instanceof ApiError && error.status === 0
        if (!isLost || !(await outages.waitOut())) throw error
      }
    }
  }

  /** The first one that is not over. */
  function showStatus(): void {
    view.list()
    const job = known().find(({ state }) => !isOver(state))
    if (job !== undefined && !isServerAway.get()) status.set({ ...statusOf(job), title })
  }

  function cancel(): void {
    stopping.abort()
    for (const id of begun)
      if (!isOver(jobOf(id)?.state ?? 'done')) void controlJob(id, { action: 'cancel' }).catch(showFailure)
  }

  function answerOne(): void {
    const job = known().find(({ state, conflicts }) => !isOver(state) && conflicts.length > 0)
    if (job !== undefined) answerJob(job)
  }

  async function work(): Promise<JobOutcome<Item>[]> {
    // Until the server has it, it would be lost with the page.
    const endWork = beginWork(() => `${title} · ${status.get().text}`)
    const ends: Promise<JobOutcome<Item>>[] = []
    try {
      for (const { items: own, request } of requests) {
        const end = begin(request).then(({ job, wasLost }) => ({
          ended: followJob(job).then((last) => outcomeOf({ items: own, job: last, by: 'user', wasLost })),
        }))
        const { ended } = await end.catch((error) => ({ ended: refused(own, error) }))
        ended.catch(() => {})
        ends.push(ended)
        if (stopping.signal.aborted) {
          cancel()
          break
        }
        showStatus()
      }
    } finally {
      endWork()
    }
    const rest = requests.slice(ends.length).flatMap(({ items: own }) => own)
    return [...(await Promise.all(ends)), nothingDone({ left: rest })]
  }

  /** Stopped before the server could be asked, or refused as a whole. */
  async function refused(own: readonly Item[], error: unknown): Promise<JobOutcome<Item>> {
    if (!isAbort(error)) return nothingDone({ failed: own.map((item) => ({ item, error })) })
    session.throwIfAborted()
    return nothingDone({ left: [...own] })
  }

  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const view = workView(
    { kind, status, cancel, answer: answerOne },
    {
      finished: ended,
      isOver: () => isEnded || session.aborted,
      isListed: () => known().some((job) => !isOver(job.state)),
    },
  )
  const timer = setTimeout(view.openDialog, shownAfter)
  const stopListening = knownJobs.subscribe(showStatus)
  try {
    const outcomes = await work()
    isEnded = true
    return together(outcomes, view.close() ? 'background' : 'user')
  } finally {
    isEnded = true
    clearTimeout(timer)
    stopListening()
    view.close()
    end()
    session.throwIfAborted()
  }
}

function chunksOf<Item>(items: readonly Item[]): Item[][] {
  const chunks: Item[][] = []
  for (let at = 0; at < items.length; at += mostJobItems) chunks.push(items.slice(at, at + mostJobItems))
  return chunks
}

const nothingDone = <Item>(outcome: Partial<JobOutcome<Item>>): JobOutcome<Item> => ({
  ...{ done: [], failed: [], left: [], by: 'user', skipped: 0, leftOut: null, arrived: new Map(), jobs: [] },
  ...outcome,
  isCertain: (outcome.left ?? []).length === 0,
})
