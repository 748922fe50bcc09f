import { deadline } from '../../concurrency/deadline.ts'
import { Failure, isFailure } from '../../failure.ts'
import type { RemoteDraft, RemoteFiles } from './files.ts'

/** In milliseconds. */
export interface Patience {
  /** For an answer that is a moment's work. */
  readonly answer: number
  /** Until a server takes the next bytes, or copies the next ones. */
  readonly bytes: number
  /** For a step of what servers do with whole files: the end of a large upload. */
  readonly work: number
}

const usual: Patience = { answer: 60_000, bytes: 600_000, work: 1_800_000 }

export interface PatientFiles {
  readonly files: RemoteFiles
  /** Is a call under way? */
  isBusy(): boolean
}

/**
 * No verb waits for ever for a server that is silent. An adapter that knows its connections gives up long before; this is
 * for what it does not notice.
 */
export function patient(inner: RemoteFiles, patience: Patience = usual, lost: () => void = () => {}): PatientFiles {
  let underWay = 0

  function told(error: unknown): never {
    if (isFailure(error, 'unavailable')) lost()
    throw error
  }

  async function within<T>(milliseconds: number, work: () => Promise<T>): Promise<T> {
    underWay += 1
    try {
      const answer = await deadline(work(), milliseconds, late)
      if (answer === late) throw silent()
      return answer as T
    } catch (error) {
      return told(error)
    } finally {
      underWay -= 1
    }
  }

  /** Ends where nothing has moved for so long. */
  async function moving<T>(longest: number, work: (watch: Watch) => Promise<T>): Promise<T> {
    const { promise: stalled, reject } = Promise.withResolvers<never>()
    stalled.catch(() => {})
    let timer: NodeJS.Timeout | undefined
    const watch: Watch = {
      isOver: false,
      stop: () => clearTimeout(timer),
      start() {
        clearTimeout(timer)
        timer = setTimeout(() => {
          watch.isOver = true
          reject(silent())
        }, longest)
      },
    }
    underWay += 1
    watch.start()
    try {
      return await Promise.race([work(watch), stalled])
    } catch (error) {
      return told(error)
    } finally {
      underWay -= 1
      watch.stop()
    }
  }

  /** The time that a sender takes is not the server's. */
  const taking = <T>(bytes: AsyncIterable<Uint8Array>, work: (bytes: AsyncIterable<Uint8Array>) => Promise<T>) =>
    moving(patience.bytes, (watch) => work(watchedPieces(bytes, watch)))

  async function* paged<T>(pages: AsyncIterable<T>): AsyncGenerator<T> {
    const iterator = pages[Symbol.asyncIterator]()
    try {
      for (;;) {
        const { done, value } = await within(patience.answer, () => iterator.next())
        if (done) return
        yield value
      }
    } finally {
      // One that is silent would not end either.
      iterator.return?.()?.catch(() => {})
    }
  }

  const draftOf = (draft: RemoteDraft): RemoteDraft => ({
    get size() {
      return draft.size
    },
    append: (bytes) => taking(bytes, (watched) => draft.append(watched)),
    read: (start, end) => within(patience.answer, () => draft.read(start, end)),
    truncate: (size) => within(patience.work, () => draft.truncate(size)),
    sync: () => within(patience.work, () => draft.sync()),
    commit: (options) => moving(patience.work, (watch) => draft.commit({ ...options, moved: watch.start })),
  })

  /** Verbs that are not asked for an answer of their own; all others are a moment's work. */
  const special: Partial<RemoteFiles> = {
    list: (folder, signal) => paged(inner.list(folder, signal)),
    ...(inner.listBelow && { listBelow: (folder, signal) => paged(inner.listBelow?.(folder, signal) ?? nothing()) }),
    read: (path, entry, start, end) => {
      const reader = inner.read(path, entry, start, end).getReader()
      return new ReadableStream({
        async pull(controller) {
          const { done, value } = await within(patience.answer, () => reader.read())
          if (done) controller.close()
          else controller.enqueue(value)
        },
        cancel: (reason) => reader.cancel(reason),
      })
    },
    write: (path, bytes, options) => taking(bytes, (watched) => inner.write(path, watched, options)),
    openDraft: async (path, id) => draftOf(await within(patience.answer, () => inner.openDraft(path, id))),
    copyFile: (from, to, options) =>
      moving(patience.bytes, (watch) => {
        const progress = (bytes: number) => {
          watch.start()
          options.progress?.(bytes)
        }
        return inner.copyFile(from, to, { ...options, progress })
      }),
    probe: () => inner.probe(),
    close: () => inner.close(),
  }

  const files = new Proxy(inner, {
    get(target, verb: keyof RemoteFiles) {
      const known = special[verb]
      if (known !== undefined) return known
      const value = target[verb]
      if (typeof value !== 'function') return value
      return (...args: unknown[]) =>
        verb === 'haveSameBytes'
          ? Reflect.apply(value, target, args)
          : within(patience.answer, () => Reflect.apply(value, target, args))
    },
  })
  return { files, isBusy: () => underWay > 0 }
}

interface Watch {
  isOver: boolean
  /** Something has moved. */
  start(): void
  /** The server is not waited for. */
  stop(): void
}

async function* watchedPieces(bytes: AsyncIterable<Uint8Array>, watch: Watch): AsyncGenerator<Uint8Array> {
  watch.stop()
  for await (const piece of bytes) {
    watch.start()
    yield piece
    if (watch.isOver) throw silent()
    watch.stop()
  }
  watch.start()
}

async function* nothing(): AsyncGenerator<never> {}

const late = Symbol('late')

const silent = (): Failure => new Failure('unavailable', 'The server that has these files does not answer')
