import { expect } from 'bun:test'
import type { Job, JobChange } from '@filestead/contract'
import type { VirtualPath } from '../src/storage/path.ts'
import type { Storage } from '../src/storage/port.ts'
import { jsonIn } from './answers.ts'
import { until } from './process.ts'
import type { Ask } from './server.ts'

/** What a test asks of the jobs of one account. */
export const jobsOf = (ask: Ask) => {
  const start = (request: object, wait = 20) =>
    ask('/api/jobs', { method: 'POST', body: JSON.stringify(request), headers: { prefer: `wait=${wait}` } })
  const find = (id: string) => jsonIn<Job>(ask(`/api/jobs/${id}`))
  return {
    start,
    /** Begins one that is expected to be taken, and waits for its end or a question. */
    async run(request: object): Promise<Job> {
      const response = await start(request)
      expect(response.status).toBeOneOf([200, 202])
      return (await response.json()) as Job
    },
    /** Begins one, and does not wait. */
    async begin(request: object): Promise<Job> {
      const response = await start(request, 0)
      expect(response.status).toBeOneOf([200, 202])
      return (await response.json()) as Job
    },
    list: (query = '') => jsonIn<Job[]>(ask(`/api/jobs${query}`)),
    find,
    async change(id: string, change: JobChange): Promise<Job> {
      return jsonIn<Job>(ask(`/api/jobs/${id}`, { method: 'PATCH', body: JSON.stringify(change) }))
    },
    remove: async (id: string) => (await ask(`/api/jobs/${id}`, { method: 'DELETE' })).status,
    async until(id: string, ...states: Job['state'][]): Promise<Job> {
      let job = await find(id)
      await until(async () => {
        job = await find(id)
        return states.includes(job.state)
      }, 60_000)
      return job
    },
  }
}

export const copying = (from: string, to: string, more: object = {}) => ({
  kind: 'copy',
  items: [{ from, to }],
  ...more,
})
export const moving = (from: string, to: string, more: object = {}) => ({
  kind: 'move',
  items: [{ from, to }],
  ...more,
})

/** A storage whose long work can be held, for a job that lasts as long as a test wants. */
export function heldStorage() {
  let gate = Promise.withResolvers<void>()
  gate.resolve()
  const unstaged: string[] = []
  let [begun, failure]: [number, Error | undefined] = [0, undefined]
  /** Waits for the gate, or for the job to be interrupted. */
  async function pass(signal: { throwIfAborted(): void } | undefined): Promise<void> {
    begun += 1
    let isOpen = false
    void gate.promise.then(() => {
      isOpen = true
    })
    while (!isOpen) {
      await Bun.sleep(1)
      signal?.throwIfAborted()
    }
    if (failure !== undefined) throw failure
  }
  const wrap = (storage: Storage): Storage =>
    new Proxy(storage, {
      get(_, name) {
        const value = Reflect.get(storage, name)
        if (name === 'beneath') return (folder: VirtualPath) => wrap(storage.beneath(folder))
        if (name === 'stage')
          return async (...args: Parameters<Storage['stage']>) => {
            const [, , , { signal, progress }] = args
            progress?.({ files: 1, bytes: 5, current: 'at-work.txt' })
            await pass(signal)
            return storage.stage(...args)
          }
        if (name === 'unstage')
          return async (...args: Parameters<Storage['unstage']>) => {
            unstaged.push(args[2]?.publish === true ? 'published' : 'dropped')
            return storage.unstage(...args)
          }
        if (name === 'remove')
          return async (...args: Parameters<Storage['remove']>) => {
            await pass(args[1]?.signal)
            return storage.remove(...args)
          }
        return typeof value === 'function' ? value.bind(storage) : value
      },
    })
  return {
    wrapStorage: wrap,
    /** What became of what was put aside. */
    unstaged,
    hold() {
      gate = Promise.withResolvers<void>()
    },
    release: () => gate.resolve(),
    failWith(error: Error | undefined) {
      failure = error
    },
    get begun() {
      return begun
    },
  }
}
