import { canStartWorker, startWorker } from '../../concurrency/worker.ts'
import { storageThread } from '../../parts.ts'
import {
  errorOf,
  type FromThread,
  isTextJob,
  type Job,
  type Modes,
  type Outcome,
  received,
  refusalOf,
  type ThreadSettings,
  type ToThread,
} from './messages.ts'

/** What threads ask of the event loop, by name. */
export type Answers = Readonly<Record<string, (...args: never[]) => unknown>>

export interface ThreadEvents {
  answers: Answers
  /** The thread has come forward: it may take more jobs. */
  free(): void
  /** It has ended by itself; what it was working on has failed. */
  died(): void
  volumes(volumes: ThreadSettings['volumes']): void
  orphans(places: readonly string[]): void
}

/** A job that was given to a thread. */
export interface Pending {
  readonly job: Job
  /** A thread has begun it, and is not asleep with another one. */
  isBegun: boolean
  readonly part?: ((part: unknown, from: object) => void) | undefined
  /** `from` tells threads apart, where several were asked. */
  resolve(value: unknown, from: object): void
  reject(error: unknown, from: object): void
}

/** What jobs bring along. */
export interface Facts {
  modes: Modes
  /** Unix seconds. */
  now: number
}

export interface Thread {
  readonly isReady: boolean
  /** Jobs that it has not said a word about: it begins them one after another, or waits for a disk with the first. */
  readonly unbegun: ReadonlySet<Pending>
  /** The one of them that it is at work on, or waits for a disk with. */
  readonly current: Pending | undefined
  /** For how many milliseconds it has said nothing although it has such jobs. */
  silence(at: number): number
  readonly jobCount: number
  /** It alone knows that a file is half written. */
  readonly knowsHalfWritten: boolean
  give(pending: Pending): void
  cancel(pending: Pending): void
  tellVolumes(volumes: ThreadSettings['volumes']): void
  stop(): void
}

/** The runtime crashes when two threads load the C library at the same moment, so they start one after another. */
let starting: Promise<void> = Promise.resolve()
/** In milliseconds, both. */
const longestStart = 10_000
const withoutDescriptors = 50

export function startThread(
  settings: () => Omit<ThreadSettings, 'current' | 'halfWrittenHere'>,
  facts: () => Facts,
  events: ThreadEvents,
): Thread {
  const pendings = new Map<number, Pending>()
  const unbegun = new Set<Pending>()
  let worker: Worker | undefined
  let [isReady, isOver] = [false, false]
  let [lastId, lastBegun, heardAt] = [0, 0, 0]
  const current = new Int32Array(new SharedArrayBuffer(8))
  const halfWrittenHere = new Int32Array(new SharedArrayBuffer(4))
  /** Lets the next thread start. */
  let started = () => {}
  let batch: { id: number; job: Job }[] = []

  const post = (message: ToThread) => worker?.postMessage(message)

  function sendBatch(): void {
    const message: ToThread = { kind: 'jobs', jobs: batch, ...facts() }
    if (batch.every(({ job }) => isTextJob(job))) worker?.postMessage(JSON.stringify(message))
    else post(message)
    batch = []
  }

  function heard(): void {
    heardAt = performance.now()
    events.free()
  }

  function fail(error: Error): void {
    if (isOver) return
    isOver = true
    worker?.terminate()
    started()
    const failed = [...pendings.values()]
    pendings.clear()
    unbegun.clear()
    for (const pending of failed) pending.reject(error, self)
    events.died()
  }

  async function answer(question: number, name: string, args: readonly unknown[]): Promise<void> {
    try {
      const work = events.answers[name] as ((...args: readonly unknown[]) => unknown) | undefined
      if (work === undefined) throw new Error(`A thread asks for ${name}`)
      const value = await work(...args)
      const message: ToThread = { kind: 'answer', question, value }
      if (typeof value === 'object') post(message)
      else worker?.postMessage(JSON.stringify(message))
    } catch (error) {
      post({ kind: 'answer', question, error: refusalOf(error) })
    }
  }

  function finish({ id, value, error }: Outcome): void {
    const pending = pendings.get(id)
    if (pending === undefined) return
    pendings.delete(id)
    unbegun.delete(pending)
    if (error === undefined) pending.resolve(value, self)
    else pending.reject(errorOf(error), self)
  }

  function begin(id: number): void {
    const pending = pendings.get(id)
    if (pending === undefined) return
    pending.isBegun = true
    unbegun.delete(pending)
  }

  /** Jobs are begun in the order in which they were given. */
  function noticeBegun(): void {
    const begun = Atomics.load(current, 1)
    if (begun === lastBegun) return
    for (let id = lastBegun + 1; id <= begun; id += 1) begin(id)
    lastBegun = begun
    heardAt = performance.now()
  }

  function onMessage(message: FromThread): void {
    if (message.kind === 'news') {
      for (const outcome of message.done) finish(outcome)
      noticeBegun()
      heard()
    } else if (message.kind === 'part') {
      pendings.get(message.id)?.part?.(message.part, self)
      begin(message.id)
      heard()
      // Other events first: parts that come as fast as they can would leave no time for them.
      setImmediate(() => post({ kind: 'taken', id: message.id }))
    } else if (message.kind === 'question') void answer(message.question, message.name, message.args)
    else if (message.kind === 'volumes') events.volumes(message.volumes)
    else if (message.kind === 'orphans') events.orphans(message.places)
    else {
      isReady = true
      started()
      heard()
    }
  }

  function start(): void {
    try {
      worker = startWorker(storageThread, { smol: true })
    } catch (error) {
      fail(error instanceof Error ? error : new Error(String(error)))
      return
    }
    worker.onerror = ({ message }) => fail(new Error(`A storage thread ended: ${message}`))
    worker.onmessage = ({ data }: MessageEvent<FromThread | string>) => onMessage(received(data))
    post({ kind: 'start', settings: { ...settings(), current, halfWrittenHere } })
  }

  starting = starting.then(async () => {
    if (isOver) return
    while (!canStartWorker()) await Bun.sleep(withoutDescriptors)
    if (isOver) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, longestStart)
    started = resolve
    start()
    await promise
    clearTimeout(timer)
  })

  const self: Thread = {
    get unbegun() {
      noticeBegun()
      return unbegun
    },
    get isReady() {
      return isReady && !isOver
    },
    get current() {
      return pendings.get(Atomics.load(current, 0))
    },
    get jobCount() {
      return pendings.size
    },
    get knowsHalfWritten() {
      return Atomics.load(halfWrittenHere, 0) > 0
    },
    silence(at) {
      noticeBegun()
      return unbegun.size === 0 ? 0 : at - heardAt
    },
    give(pending) {
      if (unbegun.size === 0) heardAt = performance.now()
      lastId += 1
      pendings.set(lastId, pending)
      unbegun.add(pending)
      batch.push({ id: lastId, job: pending.job })
      if (batch.length > 1) return
      // A thread without work begins at once; for one at work, all jobs of the turn go in one message.
      if (pendings.size === 1) queueMicrotask(sendBatch)
      else setImmediate(sendBatch)
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
  return self
}
