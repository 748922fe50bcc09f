import { storageThread } from '../../parts.ts'
import {
  errorOf,
  type FromThread,
  type Job,
  type Modes,
  refusalOf,
  type ThreadSettings,
  type ToThread,
} from './messages.ts'
import type { Transfer } from './running.ts'

/** What threads ask of the event loop, by name. */
export type Answers = Readonly<Record<string, (...args: never[]) => unknown>>

export interface ThreadEvents {
  answers: Answers
  /** The thread can begin another job. */
  free(): void
  /** It has ended by itself; what it was working on has failed. */
  died(): void
  volumes(volumes: ThreadSettings['volumes']): void
  orphans(places: readonly string[]): void
}

/** A job that was given to a thread. */
export interface Pending {
  readonly job: Job
  readonly part?: ((part: unknown) => void) | undefined
  resolve(value: unknown): void
  reject(error: unknown): void
}

export interface Thread {
  readonly isReady: boolean
  /** The job it has not said a word about: it begins it right now, or waits for a disk with it. */
  readonly unbegun: { readonly pending: Pending; readonly since: number } | undefined
  readonly jobCount: number
  give(pending: Pending, facts: { modes: Modes; now: number }, transfer?: Transfer): void
  cancel(pending: Pending): void
  tellVolumes(volumes: ThreadSettings['volumes']): void
  stop(): void
}

/** The runtime crashes when two threads load the C library at the same moment, so they start one after another. */
let starting: Promise<void> = Promise.resolve()
const longestStart = 10_000

export function startThread(settings: () => ThreadSettings, events: ThreadEvents): Thread {
  const pendings = new Map<number, Pending>()
  let worker: Worker | undefined
  let [isReady, isOver] = [false, false]
  let lastId = 0
  /** Lets the next thread start. */
  let started = () => {}
  let unbegun: (Thread['unbegun'] & { id: number }) | undefined

  const post = (message: ToThread, transfer: Transfer = []) => worker?.postMessage(message, transfer)

  function heard(id: number): void {
    if (unbegun?.id !== id) return
    unbegun = undefined
    events.free()
  }

  function fail(error: Error): void {
    if (isOver) return
    isOver = true
    worker?.terminate()
    for (const pending of pendings.values()) pending.reject(error)
    pendings.clear()
    unbegun = undefined
    events.died()
  }

  async function answer(question: number, name: string, args: readonly unknown[]): Promise<void> {
    try {
      const work = events.answers[name] as ((...args: readonly unknown[]) => unknown) | undefined
      if (work === undefined) throw new Error(`A thread asks for ${name}`)
      post({ kind: 'answer', question, value: await work(...args) })
    } catch (error) {
      post({ kind: 'answer', question, error: refusalOf(error) })
    }
  }

  function onMessage(message: FromThread): void {
    if (message.kind === 'part') {
      pendings.get(message.id)?.part?.(message.part)
      heard(message.id)
      // Other events first: parts that come as fast as they can would leave no time for them.
      setImmediate(() => post({ kind: 'taken', id: message.id }))
    } else if (message.kind === 'done') {
      const pending = pendings.get(message.id)
      pendings.delete(message.id)
      if (message.error === undefined) pending?.resolve(message.value)
      else pending?.reject(errorOf(message.error))
      heard(message.id)
    } else if (message.kind === 'begun') heard(message.id)
    else if (message.kind === 'question') void answer(message.question, message.name, message.args)
    else if (message.kind === 'volumes') events.volumes(message.volumes)
    else if (message.kind === 'orphans') events.orphans(message.places)
  }

  starting = starting.then(
    () =>
      new Promise<void>((resolve) => {
        if (isOver) return resolve()
        const timer = setTimeout(resolve, longestStart)
        started = () => {
          clearTimeout(timer)
          resolve()
        }
        try {
          worker = new Worker(storageThread, { smol: true })
        } catch (error) {
          started()
          return fail(error instanceof Error ? error : new Error(String(error)))
        }
        worker.onerror = ({ message }) => {
          started()
          fail(new Error(`A storage thread ended: ${message}`))
        }
        worker.onmessage = ({ data }: MessageEvent<FromThread>) => {
          if (data.kind !== 'ready') return onMessage(data)
          started()
          isReady = true
          events.free()
        }
        post({ kind: 'start', settings: settings() })
      }),
  )

  return {
    get isReady() {
      return isReady && !isOver
    },
    get unbegun() {
      return unbegun
    },
    get jobCount() {
      return pendings.size
    },
    give(pending, { modes, now }, transfer) {
      lastId += 1
      pendings.set(lastId, pending)
      unbegun = { id: lastId, pending, since: performance.now() }
      post({ kind: 'job', id: lastId, job: pending.job, modes, now }, transfer)
    },
    cancel(pending) {
      for (const [id, known] of pendings) if (known === pending) post({ kind: 'cancel', id })
    },
    tellVolumes: (volumes) => post({ kind: 'volumes', volumes }),
    stop() {
      if (isOver) return
      isOver = true
      worker?.terminate()
      started()
    },
  }
}
