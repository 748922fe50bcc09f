import { canStartWorker, startWorker } from '../../concurrency/worker.ts'
import { storageThread } from '../../parts.ts'
import type { Effect, KeepStores } from '../keeping.ts'
import {
  type FromThread,
  isTextTask,
  type Modes,
  type Outcome,
  received,
  type Task,
  type ThreadSettings,
  type ToThread,
} from './messages.ts'
import { errorOf, refusalOf } from './refusal.ts'

/** What threads ask of the event loop, by name. */
export type Answers = Readonly<Record<string, (...args: never[]) => unknown>>

export interface ThreadEvents {
  answers: Answers
  /** The thread has come forward: it may take more tasks. */
  free(): void
  /** It has ended by itself; what it was working on has failed. */
  died(): void
  volumes(volumes: ThreadSettings['volumes']): void
  orphans(places: readonly string[]): void
  /** In a root, by its full name. */
  effects(root: string, operation: string, effects: readonly Effect[]): void
  /** By full names. */
  link(link: string, target: string): void
}

/** A task that was given to a thread. */
export interface Pending {
  readonly task: Task
  readonly part?: ((part: unknown, from: object) => void) | undefined
  /** `from` tells threads apart, where several were asked. */
  resolve(value: unknown, from: object): void
  reject(error: unknown, from: object): void
}

/** What tasks bring along. */
export interface Facts {
  modes: Modes
  stores: KeepStores
  /** Unix seconds. */
  now: number
}

export interface Thread {
  readonly isReady: boolean
  /** Tasks that it has not said a word about: it begins them one after another, or waits for a disk with the first. */
  readonly unbegun: ReadonlySet<Pending>
  /** The one of them that it is at work on, or waits for a disk with. */
  readonly current: Pending | undefined
  /** All that it has not told the end of: besides those, tasks that go on later, and tasks that it tells of with others. */
  readonly pending: Iterable<Pending>
  /** For how many milliseconds it has said nothing although it has something to say. */
  silence(at: number): number
  /** Asks for a word, if none has come for a while: a task that it began earlier may wait for a disk, too. */
  prod(at: number): void
  readonly taskCount: number
  /** It alone knows that a file is half written. */
  readonly knowsHalfWritten: boolean
  give(pending: Pending): void
  cancel(pending: Pending): void
  tellVolumes(volumes: ThreadSettings['volumes']): void
  tellServedFolders(folders: ThreadSettings['servedFolders']): void
  stop(): void
}

/** The runtime crashes when two threads load the C library at the same moment, so they start one after another. */
let starting: Promise<void> = Promise.resolve()
/** In milliseconds, both. */
const withoutDescriptors = 50
const proddedAfter = 100

/** Ids are told by shared numbers of 32 bits, and begin anew behind the largest of those. */
const largestId = 2 ** 31 - 1

const idAfter = (id: number): number => (id === largestId ? 1 : id + 1)

export function startThread(
  settings: () => Omit<ThreadSettings, 'current' | 'halfWrittenHere'>,
  facts: () => Facts,
  events: ThreadEvents,
  /** As if so many tasks had been done. */
  lastTask = 0,
): Thread {
  const pendings = new Map<number, Pending>()
  const unbegun = new Set<Pending>()
  let worker: Worker | undefined
  let [isReady, isOver] = [false, false]
  let [lastId, lastBegun, heardAt] = [lastTask, lastTask, 0]
  let proddedAt: number | undefined
  const current = new Int32Array(new SharedArrayBuffer(8)).fill(lastTask)
  const halfWrittenHere = new Int32Array(new SharedArrayBuffer(4))
  /** Lets the next thread start. */
  let started = () => {}
  let batch: { id: number; task: Task }[] = []

  const post = (message: ToThread) => worker?.postMessage(message)

  function sendBatch(): void {
    const tasks = batch
    batch = []
    const message: ToThread = { kind: 'tasks', tasks, ...facts() }
    if (tasks.every(({ task }) => isTextTask(task))) worker?.postMessage(JSON.stringify(message))
    else post(message)
  }

  function heard(): void {
    heardAt = performance.now()
    proddedAt = undefined
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
    if (pending !== undefined) unbegun.delete(pending)
  }

  /** Tasks are begun in the order in which they were given. */
  function noticeBegun(): void {
    const begun = Atomics.load(current, 1)
    if (begun === lastBegun) return
    while (lastBegun !== begun) {
      lastBegun = idAfter(lastBegun)
      begin(lastBegun)
    }
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
    else if (message.kind === 'effects') events.effects(message.root, message.operation, message.effects)
    else if (message.kind === 'link') events.link(message.link, message.target)
    else if (message.kind === 'loaded') started()
    else {
      isReady = true
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
    const loaded = Promise.withResolvers<void>()
    started = loaded.resolve
    start()
    await loaded.promise
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
    get pending() {
      return pendings.values()
    },
    get taskCount() {
      return pendings.size
    },
    get knowsHalfWritten() {
      return Atomics.load(halfWrittenHere, 0) > 0
    },
    silence(at) {
      noticeBegun()
      return unbegun.size > 0 ? at - heardAt : proddedAt === undefined ? 0 : at - proddedAt
    },
    prod(at) {
      if (proddedAt !== undefined || pendings.size === 0 || at - heardAt < proddedAfter) return
      proddedAt = at
      post({ kind: 'prod' })
    },
    give(pending) {
      if (unbegun.size === 0) heardAt = performance.now()
      lastId = idAfter(lastId)
      pendings.set(lastId, pending)
      unbegun.add(pending)
      batch.push({ id: lastId, task: pending.task })
      if (batch.length > 1) return
      // A thread without work begins at once; for one at work, all tasks of the turn go in one message.
      if (pendings.size === 1) queueMicrotask(sendBatch)
      else setImmediate(sendBatch)
    },
    cancel(pending) {
      for (const [id, known] of pendings) if (known === pending) post({ kind: 'cancel', id })
    },
    tellVolumes: (volumes) => post({ kind: 'volumes', volumes }),
    tellServedFolders: (folders) => post({ kind: 'servedFolders', folders }),
    stop() {
      if (isOver) return
      isOver = true
      worker?.terminate()
      started()
    },
  }
  return self
}
