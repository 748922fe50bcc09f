import { encodePath, nameOf, numbered } from '@filestead/contract'
import { describeFailure } from '../../dialogs/show-failure.ts'
import { t } from '../../i18n/i18n.ts'
import { apiUrl } from '../../server/client.ts'
import { refreshUsage } from '../../server/operations/operation.ts'
import type { Attempt } from '../../server/outages.ts'
import { isLetterBox } from '../../server/queries/access.ts'
import { refreshFolders } from '../../server/queries/resources.ts'
import { paced } from '../../state/paced.ts'
import { perSession, type SessionScope } from '../../state/session-scope.ts'
import { createStore } from '../../state/store.ts'
import { announce } from '../../ui/live-status.ts'
import { closeToast, toastOffer, toastSuccess } from '../../ui/toasts.ts'
import { workspace } from '../../workspace/workspace.ts'
import { askAboutConflicts } from '../operations/conflicts/ask-about-conflicts.ts'
import { toastUndoable } from '../operations/undo.ts'
import { namesIn, rememberUploads, showArrived } from './arrivals.ts'
import { batchesAtOnce, nothingKnown, sendBatch, takesBatches } from './batch.ts'
import { keptUploads } from './persistence.ts'
import { conflictAbout } from './plan.ts'
import { type FileJob, type Item, isForBatch, type Job, type Totals, uploadQueue } from './queue.ts'
import { beginRun, countUnderWay, type Run } from './run.ts'
import { speedometer } from './speed.ts'
import { stayAwake } from './stay-awake.ts'
import { sendFile, sendFolder, UploadFailure } from './transport.ts'
import { type Withdrawals, withdrawalsIn } from './withdrawals.ts'

/** What the tray shows. A new object whenever something has changed, at most ten times a second. */
export interface UploadsView {
  readonly totals: Totals
  /** Bytes per second. */
  readonly speed: number
  readonly isBusy: boolean
  readonly isPaused: boolean
  /** The server cannot be reached; uploads go on by themselves when it can. */
  readonly isWaiting: boolean
  /** While nothing is sent but what has failed before. */
  readonly attempt: Attempt | null
  /** How many are listed. */
  readonly size: number
}

/** So many numbered names are tried in a letter box. */
const mostNumbers = 100

/** The uploads of one session. They end with it; what was begun is offered again to the same person, unless they signed out. */
export class Uploads {
  readonly #session: AbortSignal
  readonly #kept: ReturnType<typeof keptUploads>
  readonly #queue = uploadQueue()
  readonly #running = new Map<string, AbortController>()
  /** Uploads that wait for the server. */
  readonly #waiting = new Set<string>()
  /** Uploads whose last request failed, and is made again. */
  readonly #attempts = new Map<string, Attempt>()
  readonly #withdrawals: Withdrawals
  /** Files whose name was taken in a letter box: the path they came with, and the number that was tried last. */
  readonly #numbers = new Map<string, { path: string; count: number }>()
  /** How many batches of small files are on their way. */
  #batches = 0
  #run: Run | null = null
  #isPaused = false
  #letSleep: (() => void) | null = null
  #meter = speedometer()
  readonly #showing = paced(() => this.#publish(), 100)
  #lastArrived: readonly Job[] = []
  /** The toast that tells of failures, and is out of date once they are retried. */
  #failureToast: number | null = null
  readonly view = createStore(this.#viewNow())

  constructor(scope: SessionScope) {
    this.#session = scope.signal
    this.#kept = keptUploads(scope)
    this.#withdrawals = withdrawalsIn(scope.signal)
    scope.onEnd(() => this.#end())
  }

  readonly find = (id: string): Item | undefined => this.#queue.find(id)

  readonly slice = (start: number, end: number): Item[] => this.#queue.slice(start, end)

  /** Sends these from now on. What was skipped is listed among them. */
  add(jobs: readonly Job[], skipped: readonly Job[] = []): void {
    if (jobs.length === 0) {
      if (skipped.length > 0) toastSuccess(t('upload.alreadyHere', { count: skipped.length }))
      return
    }
    if (!this.#queue.isBusy()) this.#queue.clear('failed')
    this.#queue.add(jobs)
    this.#queue.add(skipped, { status: 'skipped', why: 'exists' })
    this.#kept.keep(jobs.filter((job): job is FileJob => job.kind === 'file' && job.kept === null))
    announce(t('upload.begun', { count: jobs.length }))
    this.#pump()
  }

  /** Nothing is sent until `resume`. What has arrived so far stays on the server. */
  pause(): void {
    if (this.#isPaused || !this.#queue.isBusy()) return
    this.#isPaused = true
    for (const id of this.#queue.putBack()) this.#running.get(id)?.abort()
    this.#rest()
    announce(t('upload.paused'))
    this.#publish()
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    announce(t('upload.begun', { count: countUnderWay(this.#queue.totals()) }))
    this.#pump()
  }

  /** Another try for one that failed, or for all. Where names are taken, the person says what happens to those. */
  async retry(id?: string): Promise<void> {
    this.#closeFailureToast()
    const failed = this.#queue.inState('failed').filter(({ job }) => id === undefined || job.id === id)
    const { taken = [], other = [] } = Object.groupBy(failed, (item) => (isNameTaken(item) ? 'taken' : 'other'))
    for (const { job } of other) this.#queue.again(job.id)
    this.#pump()
    if (taken.length === 0) return
    const decisions = await askAboutConflicts(
      taken.map(({ job }) => conflictAbout(job)),
      'retry',
    )
    if (decisions === null || this.#session.aborted) return
    for (const [index, item] of taken.entries())
      if (decisions[index] === 'overwrite') this.#queue.again(item.job.id, { override: true })
      else {
        this.#queue.change(item.job.id, { status: 'skipped', why: 'exists' })
        void this.#withdraw(item)
      }
    this.#pump()
  }

  cancel(id: string): void {
    const item = this.#queue.find(id)
    if (item === undefined || item.state.status === 'done') return
    this.#queue.change(id, { status: 'skipped', why: 'cancelled' })
    void this.#withdraw(item)
    this.#pump()
  }

  /** Stops everything and forgets it. What has arrived stays. What is sent afterwards is a run of its own. */
  async abort(): Promise<void> {
    const unfinished = this.#queue.inState('uploading', 'queued', 'failed')
    this.#queue.clear()
    const withdrawals = unfinished.map((item) => this.#withdraw(item))
    this.#finishRun(t('upload.aborted'))
    await Promise.all(withdrawals)
    if (this.#session.aborted) return
    void refreshFolders(workspace().folder)
    refreshUsage()
  }

  /** Takes the list of what has ended off the screen. */
  close(): void {
    if (this.#queue.isBusy()) return
    for (const item of this.#queue.inState('failed')) void this.#withdraw(item)
    this.#closeFailureToast()
    this.#queue.clear()
    this.#publish()
  }

  /** Where the last run has put its files: the folder that they were sent to, and their names in it. */
  result(): { folder: string; names: string[] } | null {
    const [first] = this.#lastArrived
    return first === undefined ? null : { folder: first.into, names: namesIn(first.into, this.#lastArrived) }
  }

  /** The server need not keep what will never be whole. */
  async #withdraw({ job, state }: Item): Promise<void> {
    this.#running.get(job.id)?.abort()
    this.#kept.forget(job.id)
    const hasBegun = state.status === 'uploading' || (job.kind === 'file' && job.url !== null)
    if (job.kind === 'file' && hasBegun) await this.#withdrawals.begin(job.path)
  }

  #pump(): void {
    if (this.#session.aborted) return
    if (this.#queue.isBusy()) this.#run ??= this.#beginRun()
    else this.#finishRun()
    if (this.#run !== null && !this.#isPaused) {
      this.#letSleep ??= stayAwake()
      for (const jobs of this.#queue.start(this.#batchesToStart())) void this.#sendGroup(jobs, this.#run)
    }
    this.#showing.soon()
  }

  /** In an outage none: what a batch could not bring goes alone ever after. */
  #batchesToStart(): number | undefined {
    if (!takesBatches()) return undefined
    return this.#waiting.size + this.#attempts.size > 0 ? 0 : batchesAtOnce - this.#batches
  }

  async #sendGroup(jobs: readonly Job[], run: Run): Promise<void> {
    const [first] = jobs
    if (jobs.length === 1 && first !== undefined) return this.#send(first, run)
    this.#batches += 1
    try {
      for (const own of Map.groupBy(jobs.filter(isForBatch), ({ batch }) => batch).values())
        await this.#sendTogether(own, run)
    } finally {
      this.#batches -= 1
      this.#pump()
    }
  }

  /**
   * What does not arrive that way is sent alone, which goes through outages and tells why it was refused. A file that is
   * cancelled ends the request, or it would arrive nevertheless.
   */
  async #sendTogether(jobs: readonly FileJob[], run: Run): Promise<void> {
    const control = new AbortController()
    const signal = AbortSignal.any([control.signal, this.#session])
    for (const { id } of jobs) this.#running.set(id, control)
    const onProgress = (sent: readonly number[]) => {
      if (signal.aborted) return
      for (const [index, job] of jobs.entries())
        this.#queue.change(job.id, { status: 'uploading', sent: sent[index] ?? 0 })
      this.#showing.soon()
    }
    let known = nothingKnown
    try {
      await Promise.all(jobs.map(({ path }) => this.#withdrawals.ended(path)))
      known = await sendBatch(jobs, { signal, onProgress })
    } catch (error) {
      if (!signal.aborted) throw error
    }
    for (const job of jobs) {
      if (this.#running.get(job.id) === control) this.#running.delete(job.id)
      if (known.arrived.has(job.path)) this.#noteArrival(job, run)
      // Where nothing was said of it, the server is asked before it is sent again.
      else this.#queue.sendAlone(job.id, known.refused.has(job.path) ? null : urlOf(job))
    }
  }

  #noteArrival(job: Job, run: Run): void {
    this.#queue.change(job.id, { status: 'done' })
    run.arrived.push(job)
    this.#kept.forget(job.id)
  }

  async #send(job: Job, run: Run): Promise<void> {
    const control = new AbortController()
    const signal = AbortSignal.any([control.signal, this.#session])
    this.#running.set(job.id, control)
    try {
      await this.#bring(job, signal)
      signal.throwIfAborted()
      this.#noteArrival(job, run)
    } catch (error) {
      if (!signal.aborted) this.#noteFailure(job, error)
    } finally {
      if (this.#running.get(job.id) === control) {
        this.#running.delete(job.id)
        this.#waiting.delete(job.id)
        this.#attempts.delete(job.id)
      }
      this.#pump()
    }
  }

  /** In a letter box there is nothing to decide about: the file is put beside what has its name. */
  #noteFailure(job: Job, error: unknown): void {
    this.#queue.change(job.id, { status: 'failed', ...reasonOf(error) })
    const isTaken = job.kind === 'file' && error instanceof UploadFailure && error.isNameTaken
    if (!isTaken || !isLetterBox(job.into)) return
    const { path, count } = this.#numbers.get(job.id) ?? { path: job.path, count: 0 }
    if (count === mostNumbers) return
    this.#numbers.set(job.id, { path, count: count + 1 })
    const free = numbered(path, count + 1)
    this.#queue.again(job.id, { path: free, name: nameOf(free), url: null })
  }

  async #bring(job: Job, signal: AbortSignal): Promise<void> {
    await this.#withdrawals.ended(job.path)
    signal.throwIfAborted()
    let sent = 0
    const note = (): void => {
      if (signal.aborted) return
      const [isWaiting, attempt] = [this.#waiting.has(job.id), this.#attempts.get(job.id)]
      this.#queue.change(job.id, { status: 'uploading', sent, isWaiting, attempt })
      this.#showing.soon()
    }
    const sending = {
      signal,
      onProgress: (bytes: number) => {
        sent = bytes
        note()
      },
      onWaiting: (isWaiting: boolean) => {
        if (isWaiting) this.#waiting.add(job.id)
        else this.#waiting.delete(job.id)
        if (isWaiting) announce(t('upload.waitingForServer'))
        note()
      },
      onRetry: (attempt: Attempt | null) => {
        if (signal.aborted) return
        if (attempt === null) this.#attempts.delete(job.id)
        else this.#attempts.set(job.id, attempt)
        note()
      },
      onBegun: () => {
        const url = urlOf(job)
        if (signal.aborted || job.kind !== 'file' || this.#urlOf(job.id) === url) return
        this.#queue.noteUrl(job.id, url)
        this.#kept.keepUrl(job, url)
      },
    }
    return job.kind === 'folder' ? sendFolder(job, sending) : sendFile(job, sending)
  }

  #urlOf(id: string): string | null {
    const job = this.#queue.find(id)?.job
    return job?.kind === 'file' ? job.url : null
  }

  #beginRun(): Run {
    this.#meter = speedometer()
    this.#meter.measure(0)
    return beginRun({
      session: this.#session,
      totals: () => this.#queue.totals(),
      tick: () => {
        this.#meter.measure(this.#queue.totals().sent)
        this.#publish()
      },
    })
  }

  /** Once for each run, when the last upload has ended or all were aborted. */
  #finishRun(ending = t('upload.finished')): void {
    if (this.#run === null) return
    const { arrived } = this.#run
    this.#stopRun()
    this.#lastArrived = arrived
    this.#publish()
    const { failed } = this.#queue.totals().counts
    if (failed > 0) this.#failureToast = this.#tellFailures(failed)
    if (arrived.length > 0) toastUndoable(t('upload.arrived', { count: arrived.length }), rememberUploads(arrived))
    announce(ending)
    showArrived(arrived, this.#session)
    refreshUsage()
  }

  #tellFailures(count: number): number {
    this.#closeFailureToast()
    const again = { label: t('buttons.tryAgain'), run: () => void this.retry() }
    return toastOffer(t('upload.someFailed', { count }), again, 'error')
  }

  #closeFailureToast(): void {
    if (this.#failureToast !== null) closeToast(this.#failureToast)
    this.#failureToast = null
  }

  #stopRun(): void {
    this.#run?.stop()
    this.#run = null
    this.#isPaused = false
    this.#rest()
  }

  /** Nothing is being sent: the screen of a phone may go dark. */
  #rest(): void {
    this.#letSleep?.()
    this.#letSleep = null
    this.#waiting.clear()
    this.#attempts.clear()
  }

  #end(): void {
    for (const control of this.#running.values()) control.abort()
    this.#running.clear()
    this.#withdrawals.forget()
    this.#queue.clear()
    this.#stopRun()
    this.#publish()
  }

  #viewNow(): UploadsView {
    const isBusy = this.#queue.isBusy()
    return {
      totals: this.#queue.totals(),
      speed: this.#meter.speed(),
      isBusy,
      isPaused: this.#isPaused,
      isWaiting: this.#waiting.size > 0,
      attempt: this.#attempts.size < this.#running.size ? null : ([...this.#attempts.values()].at(-1) ?? null),
      size: this.#queue.size(),
    }
  }

  #publish(): void {
    this.#showing.end()
    this.view.set(this.#viewNow())
  }
}

export const uploads = perSession((scope) => new Uploads(scope))

const urlOf = ({ path }: Job): string => apiUrl(`tus${encodePath(path)}`)

const isNameTaken = ({ job, state }: Item): boolean =>
  job.kind === 'file' && state.status === 'failed' && state.isNameTaken

const reasonOf = (error: unknown) => ({
  reason: error instanceof UploadFailure ? error.message : describeFailure(error),
  isNameTaken: error instanceof UploadFailure && error.isNameTaken,
})
