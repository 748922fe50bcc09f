import { Failure } from '../failure.ts'

interface Job<T> {
  key: string
  customers: AbortSignal[]
  work(): Promise<T>
  done: PromiseWithResolvers<T>
}

export type Workshop<T> = (key: string, signal: AbortSignal, work: () => Promise<T>) => Promise<T>

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
      if (job.customers.every(({ aborted }) => aborted)) {
        jobs.delete(job.key)
        job.done.reject(job.customers[0]?.reason)
      } else void run(job)
    }
  }

  async function run(job: Job<T>): Promise<void> {
    busy += 1
    try {
      job.done.resolve(await job.work())
    } catch (error) {
      job.done.reject(error)
    } finally {
      busy -= 1
      jobs.delete(job.key)
      next()
    }
  }

  return (key, signal, work) => {
    let job = jobs.get(key)
    if (job === undefined) {
      if (waiting.length >= mostWaiting)
        throw new Failure('unavailable', 'Too many previews at once', { retryAfter: 5 })
      job = { key, customers: [], work, done: Promise.withResolvers<T>() }
      jobs.set(key, job)
      waiting.push(job)
    }
    job.customers.push(signal)
    next()
    return job.done.promise
  }
}
