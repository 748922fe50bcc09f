import { isOver, type Job, type JobAction, type JobChange } from '@filestead/contract'
import { showFailure } from '../dialogs/show-failure.ts'
import { ApiError } from '../server/client.ts'
import { dropJob, jobs, noteJob } from '../server/live/jobs.ts'
import { changeJob, readJob, removeJob } from '../server/queries/jobs.ts'
import { sessionSignal } from '../state/session-scope.ts'
import type { Activity } from './activities.ts'

export const jobOf = (id: string): Job | undefined => jobs.get()?.find((job) => job.id === id)

/**
 * Resolves with the job once it is over; one that was taken off the list meanwhile counts as cancelled. Rejects when the
 * session ends, while the job goes on.
 */
export function followJob(started: Job, askedAt = performance.now()): Promise<Job> {
  if (isOver(started.state)) return Promise.resolve(started)
  const signal = sessionSignal()
  noteJob(started, askedAt)
  return new Promise((resolve, reject) => {
    let isLooking = false
    function look(): void {
      const job = jobOf(started.id)
      if (job === undefined) void lookAgain()
      else if (isOver(job.state)) end(job)
    }
    /** A list that was asked for before the job began does not have it either. */
    async function lookAgain(): Promise<void> {
      if (isLooking) return
      isLooking = true
      try {
        const askedAt = performance.now()
        noteJob(await readJob(started.id, signal), askedAt)
      } catch (error) {
        if (error instanceof ApiError && error.code === 'not-found') end({ ...started, state: 'cancelled' })
      } finally {
        isLooking = false
      }
    }
    function end(job: Job): void {
      stop()
      resolve(job)
    }
    const stop = jobs.subscribe(look)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    look()
  })
}

/** Pauses, resumes, cancels or retries a job, or answers what it asks. */
export async function controlJob(id: string, change: JobChange): Promise<void> {
  const askedAt = performance.now()
  const job = await changeJob(id, change)
  // Those of others, which administrators may change, are not in the list of one's own.
  if (job.owner === undefined) noteJob(job, askedAt)
}

type Actions = Pick<Activity, 'pause' | 'resume' | 'cancel' | 'retry'>

/** The buttons of a job. */
export const jobActions = (id: string): Actions => {
  const control = (action: JobAction) => () => void controlJob(id, { action }).catch(showFailure)
  return { pause: control('pause'), resume: control('resume'), cancel: control('cancel'), retry: control('retry') }
}

/** Takes a job that is over off the list, on every device. */
export async function dismissJob(id: string): Promise<void> {
  dropJob(id)
  // Another device may have done it already.
  await removeJob(id).catch((error) => {
    if (!(error instanceof ApiError) || error.code !== 'not-found') throw error
  })
}
