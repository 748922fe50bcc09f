import { Failure } from '../failure.ts'

interface Job<T> {
  key: string
  customers: AbortSignal[]
  /** Aborts when the last customer has left. */
  abandoned: AbortController
  work(signal: AbortSignal): Promise<T>
  done: PromiseWithResolvers<T>
}

export type Workshop<T> = (key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>) => Promise<T>

/** More than a screen full of thumbnails for many people; each of those who wait holds an open file. */
const mostWaiting = 1000

/** Does some things at a time, the same thing once for all who ask, and nothing for those who left while they waited. */
export function workshop<T>(width: number): Workshop<T> {
  const jobs = new Map<string, Job<T>>()
  const waiting: Job<T>[] = []
  let busy = 0

  function next(): void {
    while (busy < width) {
      const job = waiting.shift()
      if (job === undefined) return
      if (job.abandoned.signal.aborted) {
        forget(job)
        job.done.reject(job.abandoned.signal.reason)
      } else void run(job)
    }
  }

  async function run(job: Job<T>): Promise<void> {
    busy += 1
    try {
      job.done.resolve(await job.work(job.abandoned.signal))
    } catch (error) {
      job.done.reject(error)
    } finally {
      busy -= 1
      forget(job)
      next()
    }
  }

  function forget(job: Job<T>): void {
    if (jobs.get(job.key) === job) jobs.delete(job.key)
  }

  return (key, signal, work) => {
    let job = jobs.get(key)
    // Work that is being abandoned ends with an error, which is nothing for a new customer.
    if (job === undefined || job.abandoned.signal.aborted) {
      if (waiting.length >= mostWaiting)
        throw new Failure('unavailable', 'Too many previews at once', { retryAfter: 5 })
      job = { key, customers: [], abandoned: new AbortController(), work, done: Promise.withResolvers<T>() }
      jobs.set(key, job)
      waiting.push(job)
    }
    const { customers, abandoned, done } = job
    customers.push(signal)
    const leave = () => {
      if (customers.every(({ aborted }) => aborted)) abandoned.abort(signal.reason)
    }
    signal.addEventListener('abort', leave)
    if (signal.aborted) leave()
    next()
    return done.promise.finally(() => signal.removeEventListener('abort', leave))
  }
}
